import { execFile } from 'node:child_process';

const RELEASE = /^v\d+\.\d+\.\d+$/;
const MAX_BYTES = 64 * 1024 * 1024;

export interface Revision {
  readonly name: string;
  readonly commit: string;
}

/** The history of the repository that contains a folder. Where git fails, methods reject with its message. */
export class History {
  readonly #folder: string;

  constructor(folder: string) {
    this.#folder = folder;
  }

  async exists(): Promise<boolean> {
    try {
      await this.#git('rev-parse', '--git-dir');
      return true;
    } catch (error) {
      if (error instanceof Error && error.message.includes('not a git repository')) return false;
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

  /** The revision; undefined where there is none. */
  async find(revision: string, name = revision): Promise<Revision | undefined> {
    const commit = await this.#git('rev-parse', '--verify', '--quiet', `${revision}^{commit}`);
    return commit === '' ? undefined : { name, commit: commit.trim() };
  }

  async isShallow(): Promise<boolean> {
    return (await this.#git('rev-parse', '--is-shallow-repository')).trim() === 'true';
  }

  /** The text of a file of the folder in the revision; undefined where it isn't there. */
  async read({ commit }: Revision, path: string): Promise<string | undefined> {
    const listed = await this.#git('ls-tree', '--name-only', commit, '--', path);
    return listed === '' ? undefined : this.#git('show', `${commit}:./${path}`);
  }

  #git(...options: string[]): Promise<string> {
    const settings = { cwd: this.#folder, env: { ...process.env, LC_ALL: 'C' }, maxBuffer: MAX_BYTES };
    return new Promise((resolve, reject) => {
      execFile('git', options, settings, (error, output, errors) => {
        // With 1 it quietly says that there is no such revision.
        if (error === null || error.code === 1) resolve(output);
        else reject(new Error(errors.split('\n', 1)[0] || `git cannot be run: ${error.message}`));
      });
    });
  }
}
