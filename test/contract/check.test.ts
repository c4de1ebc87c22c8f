import { execFile, execFileSync } from 'node:child_process';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeAll, beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import { checkContract, type Outcome } from '../../src/contract/check.ts';
import { type Draft, textsOf } from '../support/drafts.ts';
import { makeTemporaryFolder, type TemporaryFolder } from '../support/temporary.ts';

const ANNOTATION =
  '@deprecated(reason: "Old.") @sunset(on: "2026-12-31", since: "2026-01-01", successor: "Query.kept")';
const withField: Draft = { sdl: 'type Query { kept: Int gone: Int }' };
const withAnnotation: Draft = { sdl: `type Query { kept: Int gone: Int ${ANNOTATION} }` };
const without: Draft = { sdl: 'type Query { kept: Int }' };

let folder: TemporaryFolder;
beforeAll(() => {
  // In a git hook, they name the repository of the hook.
  for (const name of Object.keys(process.env)) if (name.startsWith('GIT_')) delete process.env[name];
});
beforeEach(() => {
  folder = makeTemporaryFolder();
  git('init', '--quiet');
});
afterEach(() => folder.remove());

/** Without the settings of the machine. */
const { PATH = '' } = process.env;
const environment = { PATH, HOME: '/nonexistent', GIT_CONFIG_NOSYSTEM: '1' };

function git(...options: string[]): void {
  const who = ['-c', 'user.name=Test', '-c', 'user.email=test@example.com'];
  execFileSync('git', [...who, ...options], { cwd: folder.path, env: environment, stdio: 'pipe' });
}

/** Puts the draft into the work tree. */
function write(draft: Draft): void {
  const [graphql, openApi] = textsOf(draft);
  mkdirSync(join(folder.path, 'schema'), { recursive: true });
  writeFileSync(join(folder.path, 'schema/schema.graphql'), graphql);
  writeFileSync(join(folder.path, 'schema/openapi.json'), openApi);
}

function commit(draft: Draft, tag?: string): void {
  write(draft);
  git('add', '.');
  git('commit', '--quiet', '--allow-empty', '--message', 'Change the contract');
  if (tag !== undefined) git('tag', tag);
}

function check(base?: string, within = '.'): Promise<Outcome> {
  return checkContract({ folder: join(folder.path, within), base, today: '2026-11-21', usesOf: async () => [] });
}

describe('the base', () => {
  test('is the parent where nothing was released, and the work tree is compared with it', async () => {
    commit(withField);
    commit(withField);
    write(without);
    const { isKept, report } = await check();
    expect(report).toMatch(
      /^schema\/ compared with the parent \([0-9a-f]{7}\), on 2026-11-21 in UTC\.\n\nNOT ALLOWED\n/,
    );
    expect(report).toContain("  Query.gone\n    Field 'gone' was removed from object type 'Query'.\n    Stable:");
    expect(isKept).toBe(false);
  });

  test('is the newest release, by its version, rather than the parent', async () => {
    commit(without, 'v1.9.0');
    commit(withField, 'v1.10.0');
    for (const tag of ['v2.0.0-rc.1', 'vnext', '2.0.0']) commit(without, tag);
    const { isKept, report } = await check();
    expect(report).toContain('compared with v1.10.0 (');
    expect(isKept).toBe(false);
  });

  test('is a release only if the checked-out commit contains it', async () => {
    commit(without, 'v1.0.0');
    commit(withField, 'v2.0.0');
    git('checkout', '--quiet', 'v1.0.0');
    const { isKept, report } = await check();
    expect(report).toContain('compared with v1.0.0 (');
    expect(isKept).toBe(true);
  });

  test('is the revision that is named, before any other', async () => {
    commit(withField, 'v1.0.0');
    commit(without);
    expect(await check()).toMatchObject({ isKept: false });
    expect(await check('HEAD')).toEqual({
      isKept: true,
      report: expect.stringMatching(/^schema\/ compared with HEAD \(.*\n\nThe contract keeps what HEAD promised\.$/),
    });
  });

  test('must be known if it is named', async () => {
    commit(withField);
    await expect(check('v9.9.9')).rejects.toThrow(/^There is no revision v9\.9\.9 in this clone\.$/);
    await expect(check('--all')).rejects.toThrow(/^There is no revision --all in this clone\.$/);
  });

  test('may be missing where nothing was promised yet: before the second commit', async () => {
    const nothing = {
      isKept: true,
      report: 'Nothing was compared: there is neither a release nor a parent, so nothing was promised yet.',
    };
    write(withField);
    expect(await check()).toEqual(nothing);
    commit(withField);
    expect(await check()).toEqual(nothing);
  });

  test('may be missing in a shallow clone; the report says how to get it', async () => {
    commit(withField);
    commit(without);
    git('clone', '--quiet', '--depth', '1', `file://${folder.path}`, 'shallow');
    const report = /^Nothing was compared: .* This clone is shallow: `git fetch --unshallow --tags` brings the rest\.$/;
    expect(await check(undefined, 'shallow')).toEqual({ isKept: true, report: expect.stringMatching(report) });
    await expect(check('HEAD^', 'shallow')).rejects.toThrow(
      /^There is no revision HEAD\^ in this clone\. This clone is shallow: `git/,
    );
    git('-C', 'shallow', 'fetch', '--quiet', '--unshallow', '--tags');
    expect(await check(undefined, 'shallow')).toMatchObject({ isKept: false });
  });

  test('may be missing where there is no repository, as in a downloaded archive, unless one is named', async () => {
    write(withField);
    rmSync(join(folder.path, '.git'), { recursive: true });
    const report = 'Nothing was compared: this is not a Git repository, so it has no base.';
    expect(await check()).toEqual({ isKept: true, report });
    await expect(check('HEAD')).rejects.toThrow(/^fatal: not a git repository.*$/);
  });

  test.each(['schema.graphql', 'openapi.json'])('may be from before %s, unless it is named', async (file) => {
    write(withField);
    rmSync(join(folder.path, 'schema', file));
    git('add', '.');
    git('commit', '--quiet', '--message', 'Begin');
    commit(withField);
    const report = new RegExp(
      `^Nothing was compared: .* lacks schema/${file}\\. Name a base that has it with --base REVISION\\.$`,
    );
    expect(await check()).toEqual({ isKept: true, report: expect.stringMatching(report) });
    await expect(check('HEAD^')).rejects.toThrow(report);
  });

  test('is found from a folder within the repository too', async () => {
    mkdirSync(join(folder.path, 'service'));
    git('init', '--quiet', '.');
    commit(withField);
    git('mv', 'schema', 'service/schema');
    git('commit', '--quiet', '--message', 'Move');
    git('commit', '--quiet', '--allow-empty', '--message', 'More');
    expect(await check(undefined, 'service')).toMatchObject({ isKept: true });
  });
});

describe('one line', () => {
  test('says that a contract cannot be read, and which', async () => {
    commit({ sdl: 'type Query {' });
    commit(withField);
    await expect(check()).rejects.toThrow(/^schema\/ of the parent \([0-9a-f]{7}\) cannot be read: Syntax Error: .*$/);
    commit(withField);
    write({ paths: { '/a': { get: { responses: 1 } } } });
    await expect(check()).rejects.toThrow(
      /^schema\/ of the work tree cannot be read: responses of GET \/a must be an object\.$/,
    );
  });

  test('says that there is no git', async () => {
    vi.stubEnv('PATH', folder.path);
    onTestFinished(() => void vi.unstubAllEnvs());
    await expect(check()).rejects.toThrow(/^git cannot be run: spawn git ENOENT$/);
  });

  test('says what is missing of the contract, and how to get it', async () => {
    commit(withField);
    commit(withField);
    rmSync(join(folder.path, 'schema/openapi.json'));
    await expect(check()).rejects.toThrow(/^The work tree lacks schema\/openapi\.json: npm run schema writes it\.$/);
  });
});

describe('npm run check:contract', () => {
  const command = fileURLToPath(new URL('../../src/commands/check-contract.ts', import.meta.url));
  const tsx = import.meta.resolve('tsx');

  interface Ended {
    readonly code: number | null;
    readonly output: string;
    readonly errors: string;
  }

  /** Runs it in the folder, far from UTC. */
  function run(clock: string, options: readonly string[] = [], more: object = {}): Promise<Ended> {
    const env = { ...environment, TZ: 'Pacific/Auckland', LIFECYCLE_CLOCK: clock, ...more };
    const all = ['--import', tsx, command, ...options];
    return new Promise((resolve) => {
      const child = execFile(process.execPath, all, { cwd: folder.path, env }, (_, output, errors) =>
        resolve({ code: child.exitCode, output, errors }),
      );
    });
  }

  test('goes by days in UTC, wherever it runs: the sunset day is served to its end; also where the database is down', async () => {
    commit(withAnnotation, 'v1.0.0');
    commit(withAnnotation);
    write(without);
    const [before, after] = await Promise.all([
      run('2026-12-31T23:59:59.999Z', ['--base', 'v1.0.0'], { DATABASE_URL: 'postgres://127.0.0.1:1/none' }),
      run('2027-01-01T13:00:00+13:00'),
    ]);
    expect(before).toMatchObject({ code: 1, output: expect.stringContaining('Allowed from 2027-01-01.') });
    expect(before.errors).toMatch(/^Recent uses are not known: The database at .* cannot be used: .*\n$/);
    expect(after).toMatchObject({ code: 0, output: expect.stringContaining('has passed.'), errors: '' });
  });

  test('ends with 1 and says how to call it when it is called wrongly', async () => {
    const usage = 'npm run check:contract -- [--base REVISION]';
    expect(await run('2026-11-21T12:00:00Z', ['--bse', 'HEAD'])).toEqual({
      code: 1,
      output: '',
      errors: `Unknown option '--bse'\n${usage}\n`,
    });
  });
});
