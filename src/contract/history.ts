import { execFile } from 'node:child_process';

const RELEASE = /^v\d+\.\d+\.\d+$/;
const MAX_BYTES = 64 * 1024 * 1024;

/** A commit of the repository that contains a folder. Where git fails, the functions reject with its message. */
export interface Revision {
  readonly name: string;
  readonly commit: string;
}

export async function isRepository(folder: string): Promise<boolean> {
  try {
    await git(folder, 'rev-parse', '--git-dir');
    return true;
  } catch (error) {
    if (error instanceof Error && error.message.includes('not a git repository')) return false;
    throw error;
  }
}

/** The newest release, by its version, that the checked-out commit contains or is; otherwise the parent. */
export async function defaultBase(folder: string): Promise<Revision | undefined> {
  if ((await find(folder, 'HEAD')) === undefined) return undefined;
  const tags = await git(folder, 'tag', '--list', 'v*', '--merged', 'HEAD', '--sort=-version:refname');
  const release = tags.split('\n').find((tag) => RELEASE.test(tag));
  return release === undefined ? find(folder, 'HEAD^', 'the parent') : find(folder, `refs/tags/${release}`, release);
}

/** The revision; undefined where there is none. */
export async function find(folder: string, revision: string, name = revision): Promise<Revision | undefined> {
  const commit = await git(folder, 'rev-parse', '--verify', '--quiet', `${revision}^{commit}`);
  return commit === '' ? undefined : { name, commit: commit.trim() };
}

export async function isShallow(folder: string): Promise<boolean> {
  return (await git(folder, 'rev-parse', '--is-shallow-repository')).trim() === 'true';
}

/** The text of a file of the folder in the revision; undefined where it isn't there. */
export async function read(folder: string, { commit }: Revision, path: string): Promise<string | undefined> {
  const listed = await git(folder, 'ls-tree', '--name-only', commit, '--', path);
  return listed === '' ? undefined : git(folder, 'show', `${commit}:./${path}`);
}

function git(folder: string, ...options: string[]): Promise<string> {
  const settings = { cwd: folder, env: { ...process.env, LC_ALL: 'C' }, maxBuffer: MAX_BYTES };
  return new Promise((resolve, reject) => {
    execFile('git', options, settings, (error, output, errors) => {
      // With 1 it quietly says that there is no such revision.
      if (error === null || error.code === 1) resolve(output);
      else reject(new Error(errors.split('\n', 1)[0] || `git cannot be run: ${error.message}`));
    });
  });
}
