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

/** From the street down; a file may import from its own floor and from those under it. */
const FLOORS: readonly (readonly [name: string, files: RegExp])[] = [
  ['edge', /^((main|serve)\.ts$|workers\/|commands\/)/],
  ['app', /^app\.ts$/],
  ['assembly', /^(schema|routes|context|seed|site)\.ts$/],
  ['rooms', /^resources\/\w+\//],
  [
    'machinery',
    /^((auth|graphql|rest|http|db|idempotency|lifecycle|limits|operation|pages|tracing)\/|health\.ts$|metrics\.ts$)/,
  ],
  ['words', /^(errors|env|heap|int64|json|text)\.ts$/],
];

/** The foreign key is the import arrow; and an order moves stock. */
const ARROWS = ['pets -> categories', 'inventory -> pets', 'orders -> pets', 'orders -> inventory'];

describe('imports point down', () => {
  test('the imports were found', () => {
    expect(files.length).toBeGreaterThan(50);
    expect(within.length).toBeGreaterThan(150);
    expect(imports.filter(({ to }) => to.includes('/') && to.endsWith('.ts') && !texts.has(to))).toEqual([]);
  });

  test('every file is on one floor', () => {
    const homeless = files.filter((name) => FLOORS.filter(([, members]) => members.test(name)).length !== 1);
    expect(homeless).toEqual([]);
  });

  test.each(FLOORS.map(([name], level) => [name, level] as const))('from the %s', (_, level) => {
    const upwards = within.filter(({ from, to }) => floorOf(from) === level && floorOf(to) < level);
    expect(upwards.map(shown)).toEqual([]);
  });

  test('the machinery would serve another domain: it knows no room', () => {
    const machinery = FLOORS.findIndex(([name]) => name === 'machinery');
    const rooms = within.filter(({ from, to }) => floorOf(from) >= machinery && roomOf(to) !== undefined);
    expect(rooms.map(shown)).toEqual([]);
  });

  test('from room to room they follow the foreign keys', () => {
    const arrows = within.flatMap(({ from, to }) => {
      const [one, other] = [roomOf(from), roomOf(to)];
      return one === undefined || other === undefined || one === other ? [] : [`${one} -> ${other}`];
    });
    expect([...new Set(arrows)].sort()).toEqual([...ARROWS].sort());
  });

  test('never in a circle', () => {
    const done = new Set<string>();
    const visit = (name: string, path: readonly string[]): void => {
      expect(path, 'a circle').not.toContain(name);
      if (done.has(name)) return;
      for (const { to } of within.filter(({ from }) => from === name)) visit(to, [...path, name]);
      done.add(name);
    };
    for (const name of files) visit(name, []);
  });
});

describe('habits', () => {
  const filesWith = (pattern: RegExp) => files.filter((name) => pattern.test(texts.get(name) ?? ''));

  test('REST can be deleted whole: only the assembly and the rooms themselves know it', () => {
    const users = within
      .filter(({ from, to }) => to.startsWith('rest/') && !from.startsWith('rest/'))
      .map(({ from }) => from);
    expect([...new Set(users)].sort()).toEqual([
      'app.ts',
      'commands/contract/check.ts',
      'commands/schema.ts',
      ...['categories', 'inventory', 'lifecycle', 'orders', 'pets'].map((room) => `resources/${room}/rest.ts`),
      'routes.ts',
      'site.ts',
    ]);
  });

  test('only src/lifecycle deprecates: elsewhere a mark does', () => {
    expect(filesWith(/deprecationReason/).filter((name) => !name.startsWith('lifecycle/'))).toEqual([]);
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
    expect(filesWith(/process\.env|import\.meta\.env/).filter((name) => !/^(main\.ts|commands\/)/.test(name))).toEqual(
      [],
    );
  });

  test('only the edge writes to the terminal or ends the process', () => {
    const pattern = /\bconsole\.|process\.(stdout|stderr|exit|exitCode)/;
    expect(filesWith(pattern).filter((name) => !/^(main\.ts|commands\/)/.test(name))).toEqual([]);
  });

  test('a file is imported by its own name: no default exports, no index.ts, no cast to any', () => {
    expect(filesWith(/^export default/m)).toEqual([]);
    expect(files.filter((name) => /(^|\/)index\.ts$/.test(name))).toEqual([]);
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

function floorOf(name: string): number {
  return FLOORS.findIndex(([, members]) => members.test(name));
}

function roomOf(name: string): string | undefined {
  return /^resources\/(\w+)\//.exec(name)?.[1];
}

function shown({ from, to }: Import): string {
  return `${from} -> ${to}`;
}
