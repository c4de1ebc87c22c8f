import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { expect, onTestFinished, test } from 'vitest';
import { builtCopy } from '../bench/edit.ts';
import { setup } from '../support/global-build.ts';
import { makeTemporaryFolder } from '../support/temporary.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));

/** Saves the project with another title, in a module that its programs share. */
const save = (project: string, title: string) =>
  writeFileSync(join(project, 'src/title.ts'), `export const title = ${JSON.stringify(title)};`);

/** Makes and builds a project that is small, because each build of the service takes a second of two processors. */
function builtProject(): string {
  const { path, remove } = makeTemporaryFolder();
  onTestFinished(remove);
  const write = (file: string, text: string) => {
    mkdirSync(dirname(join(path, file)), { recursive: true });
    writeFileSync(join(path, file), text);
  };
  copyFileSync(join(root, 'build.js'), join(path, 'build.js'));
  symlinkSync(join(root, 'node_modules'), join(path, 'node_modules'));
  write('package.json', '{ "type": "module" }');
  write('package-lock.json', '{}');
  write('tsconfig.json', '{}');
  write('src/main.ts', `export { title } from './title.ts';`);
  write('src/process/tracing/exporter.ts', `export { title } from '../../title.ts';`);
  write('src/commands/healthy.ts', `export { title } from '../title.ts';`);
  // So long that a test can do something meanwhile.
  write(
    'src/commands/schema.ts',
    `import { setTimeout } from 'node:timers/promises';
    import { title } from '../title.ts';
    await setTimeout(300);
    console.log(title);`,
  );
  save(path, 'One');
  execFileSync(process.execPath, ['build.js'], { cwd: path, stdio: 'pipe' });
  return path;
}

/** Resolves with the code with which the build exits. */
async function build(project: string): Promise<number> {
  const [code] = await once(spawn(process.execPath, ['build.js'], { cwd: project, stdio: 'ignore' }), 'exit');
  return code;
}

test('a build keeps the files of the build before, and removes older ones, also where the clock of the file system is behind', () => {
  const project = builtProject();
  const files = () => readdirSync(join(project, 'dist'), { recursive: true, encoding: 'utf8' });
  const ofLast = () => readFileSync(join(project, 'dist/.built'), 'utf8').replaceAll('dist/', '').split('\n');
  const rebuild = (title: string, ...options: string[]) => {
    save(project, title);
    execFileSync(process.execPath, [...options, 'build.js'], { cwd: project, stdio: 'pipe' });
    return ofLast();
  };
  const ahead = `const { Date } = globalThis;
      globalThis.Date = class extends Date { constructor() { super(Date.now() + 60_000); } };`;
  const [one, two] = [ofLast(), rebuild('Two')];
  expect(files()).toEqual(expect.arrayContaining([...one, ...two]));
  const three = rebuild('Three', '--import', `data:text/javascript,${encodeURIComponent(ahead)}`);
  expect(files().sort()).toEqual([...new Set(['.built', 'commands', ...two, ...three])].sort());
});

test('a change that is saved during a build is in the next one', async () => {
  const project = builtProject();
  const isBundled = () =>
    readdirSync(project).some((name) => existsSync(join(project, name, 'main.js')) && name !== 'dist');
  save(project, 'Two');
  const building = build(project);
  await expect.poll(isBundled).toBe(true);
  save(project, 'Three');
  await building;
  await build(project);
  const files = readdirSync(join(project, 'dist'), { encoding: 'utf8' }).filter((name) => name.endsWith('.js'));
  const texts = files.map((name) => readFileSync(join(project, 'dist', name), 'utf8'));
  expect(texts.some((text) => text.includes('"Three"'))).toBe(true);
});

test('builds at the same time all work, and so does what runs from them meanwhile', async () => {
  const project = builtProject();
  const run = async () => {
    const options = ['dist/commands/schema.js', '--dry-run'];
    const [code] = await once(spawn(process.execPath, options, { cwd: project, stdio: 'ignore' }), 'exit');
    return code;
  };
  save(project, 'Two');
  const builds = [build(project), build(project)];
  const codes = [...builds.map(async (one) => (await one) || run()), run()];
  expect(await Promise.all(codes)).toEqual([0, 0, 0]);
  expect(readdirSync(project).filter((name) => name.startsWith('dist'))).toEqual(['dist']);
});

test('a build that is ended leaves nothing', async () => {
  const project = builtProject();
  const folders = () => readdirSync(project).filter((name) => name.startsWith('dist.'));
  const written = () => folders().flatMap((name) => readdirSync(join(project, name)));
  for (const title of ['Two', 'Three']) {
    save(project, title);
    const building = spawn(process.execPath, ['build.js'], { cwd: project, stdio: 'ignore' });
    await expect.poll(written, { interval: 1, timeout: 20_000 }).not.toEqual([]);
    building.kill();
    await once(building, 'exit');
  }
  await sleep(200);
  expect(folders()).toEqual([]);
});

test('a build of the service that fails says why in one clear line, and leaves the one before as it was', async () => {
  await setup();
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
