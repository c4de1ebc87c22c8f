import { execFile } from 'node:child_process';

const RELEASE = /^v\d+\.\d+\.\d+$/;
const MAX_BYTES = 64 * 1024 * 1024;
/** With which `git rev-parse --quiet` ends when there is no such revision. */
const NOT_FOUND = 1;

/** A revision to compare with: what it is called, and its commit. */
export interface Revision {
  readonly name: string;
  readonly commit: string;
}

/** The history of the repository that the folder is in. What git cannot do rejects with its own line. */
export class History {
  readonly #folder: string;

  constructor(folder: string) {
    this.#folder = folder;
  }

  /** Whether there is one. */
  async exists(): Promise<boolean> {
    try {
      await this.#git('rev-parse', '--git-dir');
      return true;
    } catch (error) {
      if (error instanceof GitError && /not a git repository/.test(error.message)) return false;
      throw error;
    }
  }

  /** The newest release, by its version, that the checked-out commit contains or is; otherwise the parent. */
  async defaultBase(): Promise<Revision | undefined> {
    if ((await this.find('HEAD')) === undefined) return undefined;
    const tags = await this.#git('tag', '--list', 'v*', '--merged', 'HEAD', '--sort=-version:refname');
    const release = tags.split('\n').find((tag) => RELEASE.test(tag));
    return release === undefined ? this.find('HEAD^', 'the parent') : this.find(`refs/tags/${release}`, release);
  }

  /** The revision that is called so; undefined where there is none. */
  async find(revision: string, name = revision): Promise<Revision | undefined> {
    try {
      const commit = await this.#git('rev-parse', '--verify', '--quiet', `${revision}^{commit}`);
      return { name, commit: commit.trim() };
    } catch (error) {
      if (error instanceof GitError && error.exitCode === NOT_FOUND) return undefined;
      throw error;
    }
  }

  /** Whether commits before a certain one are left out of this clone. */
  async isShallow(): Promise<boolean> {
    return (await this.#git('rev-parse', '--is-shallow-repository')).trim() === 'true';
  }

  /** The text of a file of the folder as it was in the revision; undefined where it was not there. */
  async read({ commit }: Revision, path: string): Promise<string | undefined> {
    const listed = await this.#git('ls-tree', '--name-only', commit, '--', path);
    return listed === '' ? undefined : this.#git('show', `${commit}:./${path}`);
  }

  #git(...options: string[]): Promise<string> {
    const settings = { cwd: this.#folder, env: { ...process.env, LC_ALL: 'C' }, maxBuffer: MAX_BYTES };
    return new Promise((done, fail) => {
      execFile('git', options, settings, (error, output, complaint) => {
        if (error === null) done(output);
        else fail(new GitError(complaint.split('\n', 1)[0] || `git cannot be run: ${error.message}`, error.code));
      });
    });
  }
}

class GitError extends Error {
  readonly exitCode: unknown;

  constructor(message: string, exitCode: unknown) {
    super(message);
    this.exitCode = exitCode;
  }
}
