import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, readFileSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';

/** How to run an image. */
interface Image {
  /** The folder that stands for the root of the image. */
  readonly root: string;
  readonly folder: string;
  readonly environment: Readonly<Record<string, string>>;
  readonly user: string;
  readonly command: readonly string[];
  readonly healthCheck: readonly string[];
}

interface Stage {
  readonly root: string;
  folder: string;
  environment: Record<string, string>;
  user: string;
  command: readonly string[];
  healthCheck: readonly string[];
}

/**
 * Executes a Dockerfile step by step, without a container engine: each stage is a folder, and its base image is this
 * machine with its Node. It supports the instructions of this project's Dockerfile, and rejects others.
 *
 * @param context the build context; its `.dockerignore` applies
 * @param place an empty folder for the stages
 */
export function buildImage(context: string, place: string): Image {
  const allowed = new Set(linesOf(join(context, '.dockerignore')).flatMap((line) => /^!(.+)/.exec(line)?.[1] ?? []));
  const stages = new Map<string, Stage>();
  let stage: Stage | undefined;
  for (const line of linesOf(join(context, 'Dockerfile'))) {
    const [, instruction = '', rest = ''] = /^(\w+)\s+(.*)$/.exec(line) ?? [];
    if (instruction === 'FROM') {
      const root = join(place, `stage-${stages.size}`);
      stage = { root, folder: root, environment: {}, user: 'root', command: [], healthCheck: [] };
      stages.set(/ AS (\w+)$/.exec(rest)?.[1] ?? `${stages.size}`, stage);
    } else if (stage !== undefined) obey(stage, instruction, rest);
  }
  if (stage === undefined) throw new Error('The Dockerfile has no FROM.');
  return stage;

  function obey(own: Stage, instruction: string, rest: string): void {
    const words = rest.split(/\s+/);
    switch (instruction) {
      case 'WORKDIR':
        own.folder = join(own.root, rest);
        mkdirSync(own.folder, { recursive: true });
        return;
      case 'ENV':
        for (const word of words) own.environment[word.split('=', 1)[0] as string] = word.slice(word.indexOf('=') + 1);
        return;
      case 'COPY':
        copy(own, words);
        return;
      case 'RUN':
        run(own, rest);
        return;
      case 'USER':
        own.user = rest;
        return;
      case 'HEALTHCHECK':
        own.healthCheck = JSON.parse(rest.slice(rest.indexOf('[')));
        return;
      case 'CMD':
        own.command = JSON.parse(rest);
        return;
      case 'EXPOSE':
        return;
      default:
        throw new Error(`The Dockerfile's ${instruction} is not known here: ${rest}`);
    }
  }

  function copy(own: Stage, words: readonly string[]): void {
    const from = words.find((word) => word.startsWith('--from='))?.slice('--from='.length);
    const names = words.filter((word) => !word.startsWith('--'));
    const target = resolve(own.folder, names.pop() as string);
    for (const name of names) {
      const isLetIn = from !== undefined || allowed.has(name.split('/', 1)[0] as string);
      if (!isLetIn) throw new Error(`.dockerignore keeps ${name} out, which the Dockerfile copies.`);
      const source = from === undefined ? join(context, name) : join(stages.get(from)?.root ?? '', name);
      const isInto = names.length > 1 || (words.at(-1) as string).endsWith('/');
      cpSync(source, isInto ? join(target, basename(name)) : target, { recursive: true, verbatimSymlinks: true });
    }
  }

  function run({ folder, environment }: Stage, command: string): void {
    const { status } = spawnSync('sh', ['-ec', command], {
      cwd: folder,
      env: { PATH: process.env.PATH, HOME: place, ...environment },
      stdio: ['ignore', 'ignore', 'inherit'],
    });
    if (status !== 0) throw new Error(`RUN ${command} ended with ${status}.`);
  }
}

/** The instructions; a line that ends with a backslash continues in the next. */
function linesOf(file: string): readonly string[] {
  const text = readFileSync(file, 'utf8').replaceAll(/\\\n\s*/g, '');
  return text.split('\n').filter((line) => line !== '' && !line.startsWith('#'));
}
