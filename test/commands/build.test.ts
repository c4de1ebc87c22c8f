import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { beforeAll, describe, expect, test } from 'vitest';
import { builtCopy, editedCode, editedCopy } from '../bench/edit.ts';
import { setup } from '../support/global-build.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));

beforeAll(setup);

describe('the build stops with one clear line', () => {
  test.each([
    {
      at: 'a mutation without a scope',
      file: 'src/petstore/categories/graphql.ts',
      replace: "  scope: 'catalogue:write',\n",
      by: '',
      line: 'Mutation.createCategory needs a scope.',
    },
    {
      at: 'a notice period that is too short',
      file: 'src/petstore/pets/graphql.ts',
      replace: "sunset: '2027-12-31'",
      by: "sunset: '2026-07-31'",
      line: "Query.pet: from 2026-07-01 to 2026-07-31 are 30 days; stable elements need 180 days' notice.",
    },
  ])('at $at', ({ line, ...edit }) => {
    let printed = '';
    try {
      editedCopy(root, edit);
    } catch (error) {
      printed = (error as { stderr?: Buffer }).stderr?.toString() ?? String(error);
    }
    expect(printed).toBe(`Building ...\n${line}\n`);
  });
});

const file = 'src/petstore/service.ts';
const titled = (title: string) => ({ file, replace: "title: 'Pet store'", by: `title: '${title}'` });
/** Saves the copy with another title. */
const save = (copy: string, title: string) => writeFileSync(join(copy, file), editedCode(root, titled(title)));
/** Resolves with the code with which the build exits. */
async function build(copy: string): Promise<number> {
  const [code] = await once(spawn(process.execPath, ['build.js'], { cwd: copy, stdio: 'ignore' }), 'exit');
  return code;
}

test('a build keeps the files of the build before, and removes older ones', () => {
  const copy = editedCopy(root, titled('One'));
  try {
    const files = () => readdirSync(join(copy, 'dist'), { recursive: true, encoding: 'utf8' });
    const rebuilt = (title: string) => {
      save(copy, title);
      execFileSync(process.execPath, ['build.js'], { cwd: copy, stdio: 'pipe' });
      return files();
    };
    const [one, two, three] = [files(), rebuilt('Two'), rebuilt('Three')];
    expect(two).toEqual(expect.arrayContaining(one));
    const ofTwo = two.filter((name) => !one.includes(name));
    expect(three).toEqual(expect.arrayContaining(ofTwo));
    expect(three).toHaveLength(two.length);
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
    const builds = [build(copy), build(copy), build(copy)];
    const codes = [...builds.map(async (one) => (await one) || run()), run()];
    expect(await Promise.all(codes)).toEqual([0, 0, 0, 0]);
    expect(readdirSync(copy).filter((name) => name.startsWith('dist'))).toEqual(['dist']);
  } finally {
    rmSync(copy, { recursive: true });
  }
});

test('a build keeps its files where the clock of the file system is behind', () => {
  const copy = builtCopy(root);
  try {
    save(copy, 'Two');
    const ahead = 'globalThis.Date = class extends Date { constructor() { super(Date.now() + 60_000); } };';
    const clock = `data:text/javascript,${encodeURIComponent(ahead.replace('extends Date', 'extends globalThis.Date'))}`;
    execFileSync(process.execPath, ['--import', clock, 'build.js'], { cwd: copy, stdio: 'pipe' });
    expect(existsSync(join(copy, 'dist/main.js'))).toBe(true);
  } finally {
    rmSync(copy, { recursive: true });
  }
});

test('a build that fails leaves the one before as it was', async () => {
  const copy = builtCopy(root);
  try {
    const files = () =>
      readdirSync(copy, { recursive: true, encoding: 'utf8' }).filter((name) => name.startsWith('dist'));
    const main = () => readFileSync(join(copy, 'dist/main.js'), 'utf8');
    const before = [files(), main()];
    const scope = join(copy, 'src/petstore/categories/graphql.ts');
    writeFileSync(scope, readFileSync(scope, 'utf8').replace("  scope: 'catalogue:write',\n", ''));
    expect(await build(copy)).toBe(1);
    expect([files(), main()]).toEqual(before);
  } finally {
    rmSync(copy, { recursive: true });
  }
});
