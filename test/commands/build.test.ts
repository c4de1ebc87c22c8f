import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { beforeAll, expect, test } from 'vitest';
import { builtCopy, editedCode } from '../bench/edit.ts';
import { setup } from '../support/global-build.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));

beforeAll(setup);

const file = 'src/petstore/service.ts';
const titled = (title: string) => ({ file, replace: "title: 'Pet store'", by: `title: '${title}'` });
/** Saves the copy with another title. */
const save = (copy: string, title: string) => writeFileSync(join(copy, file), editedCode(root, titled(title)));
/** Resolves with the code with which the build exits. */
async function build(copy: string): Promise<number> {
  const [code] = await once(spawn(process.execPath, ['build.js'], { cwd: copy, stdio: 'ignore' }), 'exit');
  return code;
}

test('a build keeps the files of the build before, and removes older ones, also where the clock of the file system is behind', () => {
  const copy = builtCopy(root);
  try {
    const files = () => readdirSync(join(copy, 'dist'), { recursive: true, encoding: 'utf8' });
    const ofLast = () => readFileSync(join(copy, 'dist/.built'), 'utf8').replaceAll('dist/', '').split('\n');
    const rebuild = (title: string, ...options: string[]) => {
      save(copy, title);
      execFileSync(process.execPath, [...options, 'build.js'], { cwd: copy, stdio: 'pipe' });
      return ofLast();
    };
    const ahead = `const { Date } = globalThis;
      globalThis.Date = class extends Date { constructor() { super(Date.now() + 60_000); } };`;
    const [one, two] = [ofLast(), rebuild('Two')];
    expect(files()).toEqual(expect.arrayContaining([...one, ...two]));
    const three = rebuild('Three', '--import', `data:text/javascript,${encodeURIComponent(ahead)}`);
    expect(files().sort()).toEqual([...new Set(['.built', 'commands', ...two, ...three])].sort());
  } finally {
    rmSync(copy, { recursive: true });
  }
});

test('a change that is saved during a build is in the next one', async () => {
  const copy = builtCopy(root);
  try {
    const isBundled = () =>
      readdirSync(copy).some((name) => existsSync(join(copy, name, 'main.js')) && name !== 'dist');
    save(copy, 'Two');
    const building = build(copy);
    await expect.poll(isBundled).toBe(true);
    save(copy, 'Three');
    await building;
    await build(copy);
    const files = readdirSync(join(copy, 'dist'), { encoding: 'utf8' }).filter((name) => name.endsWith('.js'));
    const texts = files.map((name) => readFileSync(join(copy, 'dist', name), 'utf8'));
    expect(texts.some((text) => text.includes('"Three"'))).toBe(true);
  } finally {
    rmSync(copy, { recursive: true });
  }
});

test('builds at the same time all work, and so does what runs from them meanwhile', async () => {
  const copy = builtCopy(root);
  const run = async () => {
    const options = ['dist/commands/schema.js', '--dry-run'];
    const [code] = await once(spawn(process.execPath, options, { cwd: copy, stdio: 'ignore' }), 'exit');
    return code;
  };
  try {
    save(copy, 'Two');
    const builds = [build(copy), build(copy)];
    const codes = [...builds.map(async (one) => (await one) || run()), run()];
    expect(await Promise.all(codes)).toEqual([0, 0, 0]);
    expect(readdirSync(copy).filter((name) => name.startsWith('dist'))).toEqual(['dist']);
  } finally {
    rmSync(copy, { recursive: true });
  }
});

test('a build that is ended leaves nothing', async () => {
  const copy = builtCopy(root);
  try {
    const folders = () => readdirSync(copy).filter((name) => name.startsWith('dist.'));
    const written = () => folders().flatMap((name) => readdirSync(join(copy, name)));
    for (const title of ['Two', 'Three']) {
      save(copy, title);
      const building = spawn(process.execPath, ['build.js'], { cwd: copy, stdio: 'ignore' });
      await expect.poll(written, { interval: 1, timeout: 20_000 }).not.toEqual([]);
      building.kill();
      await once(building, 'exit');
    }
    await sleep(200);
    expect(folders()).toEqual([]);
  } finally {
    rmSync(copy, { recursive: true });
  }
});

test('a build that fails says why in one clear line, and leaves the one before as it was', () => {
  const copy = builtCopy(root);
  try {
    const files = () =>
      readdirSync(copy, { recursive: true, encoding: 'utf8' }).filter((name) => name.startsWith('dist'));
    const main = () => readFileSync(join(copy, 'dist/main.js'), 'utf8');
    const before = [files(), main()];
    const scope = join(copy, 'src/petstore/categories/graphql.ts');
    writeFileSync(scope, readFileSync(scope, 'utf8').replace("  scope: 'catalogue:write',\n", ''));
    const { status, stderr } = spawnSync(process.execPath, ['build.js'], { cwd: copy, encoding: 'utf8' });
    expect([status, stderr]).toEqual([1, 'Building ...\nMutation.createCategory needs a scope.\n']);
    expect([files(), main()]).toEqual(before);
  } finally {
    rmSync(copy, { recursive: true });
  }
});
