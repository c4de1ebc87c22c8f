import { readdirSync, readFileSync } from 'node:fs';
import { join, posix } from 'node:path';
import { describe, expect, test } from 'vitest';

interface Import {
  readonly from: string;
  /** The file under src, or the package. */
  readonly to: string;
}

const root = new URL('../../src/', import.meta.url).pathname;
const files = readdirSync(root, { recursive: true, encoding: 'utf8' })
  .filter((name) => name.endsWith('.ts'))
  .map((name) => name.replaceAll('\\', '/'));
const texts = new Map(files.map((name) => [name, readFileSync(join(root, name), 'utf8')]));

/** Of an import or export with a source, and of what is imported when it is called for. */
const SOURCE = /(?:\bfrom|^import|\bimport\()\s*'([^']+)'/gm;
const imports: readonly Import[] = [...texts].flatMap(([from, text]) =>
  [...text.matchAll(SOURCE)].map(([, to = '']) => ({
    from,
    to: to.startsWith('.') ? posix.join(posix.dirname(from), to) : to,
  })),
);
const within = imports.filter(({ to }) => texts.has(to));

/** The parts of the source, each with those that it may import. */
const PARTS: Readonly<Record<string, readonly string[]>> = {
  'main.ts': ['process'],
  commands: ['process', 'contract', 'petstore', 'engine'],
  contract: ['engine'],
  process: ['petstore', 'engine'],
  petstore: ['engine'],
  engine: [],
};

/** What people start: it reads the environment, and writes to the terminal. */
const EDGE = /^(main\.ts|commands\/|contract\/)/;

/** The foreign key is the import arrow; and an order moves stock. */
const ARROWS = ['pets -> categories', 'inventory -> pets', 'orders -> pets', 'orders -> inventory'];

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

  test('the pet store comes in by the door: from the engine it imports index.ts, and db for its tables and stores', () => {
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
    expect(circleIn(modules)).toBeUndefined();
  });

  test('the engine has no name, text or example of the pet store', () => {
    const ofThePetStore = /\bpets?\b|pet-?store|\banimals?\b|\bcategor(y|ies)\b|\binventor(y|ies)\b|orders:|\/orders/i;
    const engine = readdirSync(join(root, 'engine'), { recursive: true, encoding: 'utf8' }).filter((name) =>
      /\.(ts|js|css)$/.test(name),
    );
    expect(engine.length).toBeGreaterThan(100);
    expect(engine.filter((name) => ofThePetStore.test(readFileSync(join(root, 'engine', name), 'utf8')))).toEqual([]);
  });

  test('from resource to resource they follow the foreign keys', () => {
    const arrows = within.flatMap(({ from, to }) => {
      const [one, other] = [resourceOf(from), resourceOf(to)];
      return one === undefined || other === undefined || one === other ? [] : [`${one} -> ${other}`];
    });
    expect([...new Set(arrows)].sort()).toEqual([...ARROWS].sort());
  });

  test('never in a circle', () => {
    const files = new Map<string, Set<string>>();
    for (const { from, to } of within) files.set(from, (files.get(from) ?? new Set()).add(to));
    expect(circleIn(files)).toBeUndefined();
  });
});

describe('habits', () => {
  const filesWith = (pattern: RegExp) => files.filter((name) => pattern.test(texts.get(name) ?? ''));

  test('REST can be deleted whole: only what describes it, what it is assembled by and the door know it', () => {
    const users = within
      .filter(({ from, to }) => moduleOf(to) === 'rest' && moduleOf(from) !== 'rest')
      .map(({ from }) => from.replace(/(?<=petstore\/)\w+(?=\/rest.ts)/, '*').replace(/(?<=engine\/openapi\/).*/, '*'));
    expect([...new Set(users)].sort()).toEqual([
      'contract/graphql-coordinate.ts',
      'engine/application.ts',
      'engine/dispatch.ts',
      'engine/index.ts',
      'engine/openapi/*',
      'engine/pages/site.ts',
      'engine/service.ts',
      'engine/usage/rest.ts',
    ]);
  });

  test('what is exported is used elsewhere', () => {
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

  test('only engine/lifecycle deprecates: elsewhere an annotation does', () => {
    expect(filesWith(/deprecationReason/).filter((name) => !/^(engine\/lifecycle|contract)\//.test(name))).toEqual([]);
  });

  test('what the service runs is among the dependencies that production installs', () => {
    const manifest: { dependencies: object } = JSON.parse(readFileSync(join(root, '../package.json'), 'utf8'));
    const run = reached('main.ts');
    const packages = imports
      .filter(({ from, to }) => run.has(from) && !texts.has(to) && /^(?!node:)[@\w]/.test(to))
      .map(({ to }) => to.split('/', to.startsWith('@') ? 2 : 1).join('/'));
    expect(packages).toContain('graphql');
    expect([...new Set(packages)].filter((name) => !(name in manifest.dependencies))).toEqual([]);
  });

  test('only the edge reads the environment', () => {
    expect(filesWith(/process\.env|import\.meta\.env/).filter((name) => !EDGE.test(name))).toEqual([]);
  });

  test('only the edge writes to the terminal or ends the process', () => {
    const pattern = /\bconsole\.|process\.(stdout|stderr|exit|exitCode)/;
    expect(filesWith(pattern).filter((name) => !EDGE.test(name))).toEqual([]);
  });

  test('a file is imported by its own name: no default exports, no index.ts but the door, no cast to any', () => {
    expect(filesWith(/^export default/m)).toEqual([]);
    expect(files.filter((name) => /(^|\/)index\.ts$/.test(name))).toEqual(['engine/index.ts']);
    expect(filesWith(/\bas any\b|: any\b/)).toEqual([]);
  });

  test('imports within src name the file, so that it runs as it is', () => {
    const vague = imports.filter(({ to }) => /^(\.|graphql\/(?!$)|@\/|src\/)/.test(to) && !texts.has(to));
    expect(vague.map(shown)).toEqual([]);
  });
});

/** The files that the file imports, itself and over others. */
function reached(name: string, found = new Set<string>()): ReadonlySet<string> {
  if (found.has(name)) return found;
  found.add(name);
  for (const { to } of within.filter(({ from }) => from === name)) reached(to, found);
  return found;
}

function partOf(name: string): string {
  return name.split('/', 1)[0] ?? name;
}

/** The folder of the engine that has the file, or the file that is in none. */
function moduleOf(name: string): string | undefined {
  return /^engine\/([^/]+)/.exec(name)?.[1];
}

function resourceOf(name: string): string | undefined {
  return /^petstore\/(\w+)\//.exec(name)?.[1];
}

/** A way that comes back to where it begins; undefined where there is none. */
function circleIn(arrows: ReadonlyMap<string, ReadonlySet<string>>): readonly string[] | undefined {
  const done = new Set<string>();
  const visit = (name: string, path: readonly string[]): readonly string[] | undefined => {
    if (path.includes(name)) return [...path.slice(path.indexOf(name)), name];
    if (done.has(name)) return undefined;
    for (const next of arrows.get(name) ?? []) {
      const circle = visit(next, [...path, name]);
      if (circle !== undefined) return circle;
    }
    done.add(name);
    return undefined;
  };
  for (const name of arrows.keys()) {
    const circle = visit(name, []);
    if (circle !== undefined) return circle;
  }
  return undefined;
}

function shown({ from, to }: Import): string {
  return `${from} -> ${to}`;
}
