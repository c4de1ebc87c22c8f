import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, posix } from 'node:path';
import { describe, expect, test } from 'vitest';

interface Import {
  readonly from: string;
  /** The imported file under src, or the package. */
  readonly to: string;
}

const root = new URL('../../src/', import.meta.url).pathname;
const files = readdirSync(root, { recursive: true, encoding: 'utf8' })
  .filter((name) => name.endsWith('.ts'))
  .map((name) => name.replaceAll('\\', '/'));
const texts = new Map(files.map((name) => [name, readFileSync(join(root, name), 'utf8')]));

/** Matches the source of an import, an export or a dynamic import. */
const SOURCE = /(?:\bfrom|^import|\bimport\()\s*'([^']+)'/gm;
const imports: readonly Import[] = [...texts].flatMap(([from, text]) =>
  [...text.matchAll(SOURCE)].map(([, to = '']) => ({
    from,
    to: to.startsWith('.') ? posix.join(posix.dirname(from), to) : to,
  })),
);
const within = imports.filter(({ to }) => texts.has(to));

/** The parts of the source, each with the parts that it may import. */
const PARTS: Readonly<Record<string, readonly string[]>> = {
  'main.ts': ['process', 'petstore'],
  commands: ['process', 'contract', 'petstore', 'engine'],
  contract: ['engine'],
  process: ['engine'],
  petstore: ['engine'],
  engine: [],
};

/** The entry points: only they read the environment, and write to the terminal. */
const ENTRY_POINTS = /^(process\/run\.ts|commands\/|contract\/)/;

/** Imports follow foreign keys; and an order moves stock. */
const RESOURCE_IMPORTS = ['pets -> categories', 'inventory -> pets', 'orders -> pets', 'orders -> inventory'];

describe('imports point down', () => {
  test('the imports were found', () => {
    expect(files.length).toBeGreaterThan(50);
    expect(within.length).toBeGreaterThan(150);
    expect(imports.filter(({ to }) => to.includes('/') && to.endsWith('.ts') && !texts.has(to))).toEqual([]);
  });

  test('every file is in one of the parts', () => {
    expect([...new Set(files.map(partOf))].sort()).toEqual(Object.keys(PARTS).sort());
  });

  test.each(Object.entries(PARTS))('from %s only to %j', (part, allowed) => {
    const others = within.filter(({ from, to }) => partOf(from) === part && ![part, ...allowed].includes(partOf(to)));
    expect(others.map(shown)).toEqual([]);
  });

  test('the health check imports nothing, because a container runs it every few seconds', () => {
    expect(files).toContain('commands/healthy.ts');
    expect(imports.filter(({ from }) => from === 'commands/healthy.ts').map(shown)).toEqual([]);
  });

  test('the pet store imports only index.ts from the engine, and db for its tables and stores', () => {
    const others = within.filter(
      ({ from, to }) => partOf(from) === 'petstore' && /^engine\/(?!index\.ts$|db\/)/.test(to),
    );
    expect(others.map(shown)).toEqual([]);
  });

  test('the modules of the engine form a directed acyclic graph', () => {
    const modules = new Map<string, Set<string>>();
    for (const { from, to } of within) {
      const [one, other] = [moduleOf(from), moduleOf(to)];
      if (one === undefined || other === undefined || one === other) continue;
      modules.set(one, (modules.get(one) ?? new Set()).add(other));
    }
    expect(modules.size).toBeGreaterThan(10);
    expect(cycleIn(modules)).toBeUndefined();
  });

  test('the engine has no name, text or example of the pet store', () => {
    const ofThePetStore = /\bpets?\b|pet-?store|\banimals?\b|\bcategor(y|ies)\b|\binventor(y|ies)\b|orders:|\/orders/i;
    const engine = readdirSync(join(root, 'engine'), { recursive: true, encoding: 'utf8' }).filter((name) =>
      /\.(ts|js|css)$/.test(name),
    );
    expect(engine.length).toBeGreaterThan(100);
    expect(engine.filter((name) => ofThePetStore.test(readFileSync(join(root, 'engine', name), 'utf8')))).toEqual([]);
  });

  test('between resources they follow the foreign keys', () => {
    const arrows = within.flatMap(({ from, to }) => {
      const [one, other] = [resourceOf(from), resourceOf(to)];
      return one === undefined || other === undefined || one === other ? [] : [`${one} -> ${other}`];
    });
    const hint = 'A resource imports another for a foreign key alone, which is then in RESOURCE_IMPORTS';
    expect([...new Set(arrows)].sort(), hint).toEqual([...RESOURCE_IMPORTS].sort());
  });

  test('never in a cycle', () => {
    const files = new Map<string, Set<string>>();
    for (const { from, to } of within) files.set(from, (files.get(from) ?? new Set()).add(to));
    expect(cycleIn(files)).toBeUndefined();
  });
});

describe('habits', () => {
  const filesWith = (pattern: RegExp) => files.filter((name) => pattern.test(texts.get(name) ?? ''));

  test('REST can be removed: only the parts that describe or assemble it, and index.ts, import it', () => {
    const users = within
      .filter(({ from, to }) => moduleOf(to) === 'rest' && moduleOf(from) !== 'rest')
      .map(({ from }) => from.replace(/(?<=petstore\/)\w+(?=\/rest.ts)/, '*').replace(/(?<=engine\/openapi\/).*/, '*'));
    expect([...new Set(users)].sort()).toEqual([
      'contract/graphql-coordinate.ts',
      'engine/application.ts',
      'engine/dispatch.ts',
      'engine/events/create.ts',
      'engine/events/rest.ts',
      'engine/index.ts',
      'engine/openapi/*',
      'engine/pages/site.ts',
      'engine/service.ts',
      'engine/usage/rest.ts',
      'engine/webhooks/rest.ts',
    ]);
  });

  test('every export is used in another file', () => {
    const tests = new URL('../', import.meta.url).pathname;
    const others = readdirSync(tests, { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith('.ts') && !name.includes('node_modules'))
      .map((name) => [`test/${name}`, readFileSync(join(tests, name), 'utf8')] as const);
    const users = new Map<string, Set<string>>();
    for (const [name, text] of [...texts, ...others]) {
      for (const word of new Set(text.match(/\w+/g))) users.set(word, (users.get(word) ?? new Set()).add(name));
    }
    const exported = [...texts].flatMap(([name, text]) =>
      [...text.matchAll(/^export (?:async )?(?:const|function|class|interface|type) (\w+)/gm)].map(
        ([, word = '']) => [name, word] as const,
      ),
    );
    expect(exported.length).toBeGreaterThan(300);
    expect(exported.filter(([, word]) => users.get(word)?.size === 1)).toEqual([]);
  });

  test('every test runs: none is skipped, expected to fail, or alone', () => {
    const here = new URL('../', import.meta.url).pathname;
    const tests = readdirSync(here, { recursive: true, encoding: 'utf8' }).filter(
      (name) => name.endsWith('.test.ts') && !name.includes('node_modules'),
    );
    const left = tests.filter((name) =>
      /^ *(test|describe)\.(skip|runIf|todo|only|fails)/m.test(readFileSync(join(here, name), 'utf8')),
    );
    expect(left).toEqual([]);
  });

  test('the test files that vitest.config.ts names exist, so that none loses what it needs by a new name', () => {
    const config = readFileSync(join(root, '../vitest.config.ts'), 'utf8');
    const named = Array.from(config.matchAll(/'(test\/[\w/-]+\.test\.ts)'/g), ([, name = '']) => name);
    expect(named.length).toBeGreaterThan(5);
    expect(named.filter((name) => !existsSync(join(root, '..', name)))).toEqual([]);
  });

  test('only engine/lifecycle sets deprecationReason: other modules use annotations', () => {
    expect(filesWith(/deprecationReason/).filter((name) => !/^(engine\/lifecycle|contract)\//.test(name))).toEqual([]);
  });

  test('every package that the service imports is a production dependency', () => {
    const manifest: { dependencies: object } = JSON.parse(readFileSync(join(root, '../package.json'), 'utf8'));
    const run = reached('main.ts');
    const packages = imports
      .filter(({ from, to }) => run.has(from) && !texts.has(to) && /^(?!node:)[@\w]/.test(to))
      .map(({ to }) => to.split('/', to.startsWith('@') ? 2 : 1).join('/'));
    expect(packages).toContain('graphql');
    expect([...new Set(packages)].filter((name) => !(name in manifest.dependencies))).toEqual([]);
  });

  test('only entry points read the environment', () => {
    expect(filesWith(/process\.env|import\.meta\.env/).filter((name) => !ENTRY_POINTS.test(name))).toEqual([]);
  });

  test('only entry points write to the terminal or end the process', () => {
    const pattern = /\bconsole\.|process\.(stdout|stderr|exit|exitCode)/;
    expect(filesWith(pattern).filter((name) => !ENTRY_POINTS.test(name))).toEqual([]);
  });

  test('a file is imported by its own name: no default exports, only one index.ts, no cast to any', () => {
    expect(filesWith(/^export default/m)).toEqual([]);
    expect(files.filter((name) => /(^|\/)index\.ts$/.test(name))).toEqual(['engine/index.ts']);
    expect(filesWith(/\bas any\b|: any\b/)).toEqual([]);
  });

  test('imports within src name the file, so that Node runs the source unchanged', () => {
    const vague = imports.filter(({ to }) => /^(\.|graphql\/(?!$)|@\/|src\/)/.test(to) && !texts.has(to));
    expect(vague.map(shown)).toEqual([]);
  });
});

/** The files that the file imports, directly and indirectly. */
function reached(name: string, found = new Set<string>()): ReadonlySet<string> {
  if (found.has(name)) return found;
  found.add(name);
  for (const { to } of within.filter(({ from }) => from === name)) reached(to, found);
  return found;
}

function partOf(name: string): string {
  return name.split('/', 1)[0] ?? name;
}

/** The module of the engine: a folder, or a file that is in none. */
function moduleOf(name: string): string | undefined {
  return /^engine\/([^/]+)/.exec(name)?.[1];
}

function resourceOf(name: string): string | undefined {
  return /^petstore\/(\w+)\//.exec(name)?.[1];
}

/** A path that returns to its start; undefined if there is none. */
function cycleIn(arrows: ReadonlyMap<string, ReadonlySet<string>>): readonly string[] | undefined {
  const done = new Set<string>();
  const visit = (name: string, path: readonly string[]): readonly string[] | undefined => {
    if (path.includes(name)) return [...path.slice(path.indexOf(name)), name];
    if (done.has(name)) return undefined;
    for (const next of arrows.get(name) ?? []) {
      const cycle = visit(next, [...path, name]);
      if (cycle !== undefined) return cycle;
    }
    done.add(name);
    return undefined;
  };
  for (const name of arrows.keys()) {
    const cycle = visit(name, []);
    if (cycle !== undefined) return cycle;
  }
  return undefined;
}

function shown({ from, to }: Import): string {
  return `${from} -> ${to}`;
}
