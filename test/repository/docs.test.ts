import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { errorTable } from '../../src/engine/errors.ts';
import * as own from '../../src/petstore/errors.ts';
import { createMetrics } from '../../src/process/metrics.ts';
import { misspeltSettings, readSettings } from '../../src/process/settings.ts';

const pages = ['README.md', 'SECURITY.md', 'CONTRIBUTING.md', 'CHANGELOG.md', ...readPages('docs')];
const read = (file: string) => readFileSync(file, 'utf8');
const { scripts, version } = JSON.parse(read('package.json'));

test('the OpenAPI document has the version of package.json', () => {
  expect(JSON.parse(read('schema/openapi.json')).info.version).toBe(version);
});

test('the README is short', () => {
  expect(read('README.md').split('\n').length).toBeLessThan(150);
});

describe.each(pages)('%s', (page) => {
  const text = read(page);

  test('links to existing files', () => {
    const links = [...text.matchAll(/\]\(([^)#]+)(?:#[^)]*)?\)/g)].map(([, target = '']) => target);
    const missing = links.filter((link) => !/^https?:/.test(link) && !existsSync(join(dirname(page), link)));
    expect(missing).toEqual([]);
  });

  test('names existing source files', () => {
    const named = [...text.matchAll(/`(\w+\/[\w./-]+\.ts)`/g)].map(([, file = '']) => file);
    expect(named.filter((file) => !existsSync(file) && !existsSync(join('src', file)))).toEqual([]);
  });

  test('names existing npm scripts', () => {
    const named = [...text.matchAll(/npm run ([\w:]+)/g)].map(([, name = '']) => name);
    expect(named.filter((name) => scripts[name] === undefined)).toEqual([]);
  });
});

test('CONTRIBUTING.md has a row for each npm script', () => {
  const table = read('CONTRIBUTING.md');
  const others = ['prestart', 'build', 'check', 'types', 'lint', 'format', 'start', 'test', 'db:generate'];
  const missing = Object.keys(scripts).filter(
    (name) => !others.includes(name) && !table.includes(`| \`npm run ${name}`),
  );
  expect(missing).toEqual([]);
});

test('CONTRIBUTING.md has a line for each folder of the engine', () => {
  const listed = read('CONTRIBUTING.md');
  const folders = readdirSync('src/engine', { withFileTypes: true }).filter((entry) => entry.isDirectory());
  expect(folders.map(({ name }) => name).filter((name) => !listed.includes(`\n    ${name}/ `))).toEqual([]);
});

test('docs/operating.md has every setting, and no other', () => {
  const settings = [...read('src/process/settings.ts').matchAll(/^ {2}([A-Z][A-Z_]+): /gm)].map(
    ([, name = '']) => name,
  );
  const rows = [...read('docs/operating.md').matchAll(/^\| (`[A-Z][A-Z_]+`(?:, `[A-Z_]+`)*) \|/gm)];
  const documented = rows.flatMap(([, names = '']) => names.split(', ').map((name) => name.replaceAll('`', '')));
  expect(documented.sort()).toEqual(settings.sort());
});

test('docs/operating.md has the default of each setting, and that of production', () => {
  const page = read('docs/operating.md');
  for (const [, names = '', text = ''] of page.matchAll(/^\| (`[A-Z][A-Z_]+`(?:, `[A-Z_]+`)*) \| (.+?) \|/gm)) {
    const value = text === 'empty' ? '' : /^`(.+?)`/.exec(text)?.[1];
    const given = names.split(', ').map((name) => [name.replaceAll('`', ''), value]);
    expect([names, readSettings(Object.fromEntries(given))]).toEqual([names, readSettings({})]);
  }
  const production = { NODE_ENV: 'production', AUTH: 'all', DATABASE: 'embedded' };
  const quota = /^\| `RATE_LIMIT` \| .*in production `(.+?)`/m.exec(page)?.[1];
  expect(readSettings(production)).toEqual(readSettings({ ...production, RATE_LIMIT: quota ?? 'off' }));
});

test('docs/api.md has every error code with its status, and no other', () => {
  const documented = [...read('docs/api.md').matchAll(/^\| `([A-Z_]+)` \| (\d+) \| (.+) \|$/gm)];
  const ofEngine = Object.entries(errorTable).map(([code, { status, title }]) => ({ code, status, title }));
  const kinds = [...ofEngine, ...Object.values(own)];
  expect(documented.map(([, code, status, title]) => ({ code, status: Number(status), title })).sort(byCode)).toEqual(
    kinds.sort(byCode),
  );
});

test('docs/engine.md shows the code of the second application unchanged', () => {
  const source = ['shop.ts', 'main.ts', 'bookshop.test.ts'].map((name) => read(`test/bookshop/${name}`)).join('\n');
  const shown = [...read('docs/engine.md').matchAll(/^```ts\n(.*?)^```$/gms)].map(([, code = '']) => code);
  expect(shown.length).toBeGreaterThan(4);
  expect(shown.filter((code) => !source.includes(code))).toEqual([]);
});

interface Variable {
  readonly name: string;
  readonly value?: string;
}

function byCode(one: { code: string | undefined }, other: { code: string | undefined }): number {
  return `${one.code}` < `${other.code}` ? -1 : 1;
}

function readPages(folder: string): string[] {
  return readdirSync(folder)
    .filter((name) => name.endsWith('.md'))
    .map((name) => join(folder, name));
}

test('compose.yaml starts: a service with a read-only file system gets its secrets from files, as Docker Compose requires', () => {
  const { services, secrets } = parse(read('compose.yaml'));
  const names = Object.values<Record<string, unknown>>(services).flatMap((service) =>
    service.read_only === true ? (service.secrets as string[]) : [],
  );
  expect(names.length).toBeGreaterThan(0);
  expect(names.filter((name) => secrets[name].file === undefined)).toEqual([]);
});

test('docs/deploying.md starts with Kubernetes and with systemd: each value is what its setting accepts', () => {
  const [pod = '', unit = ''] = ['yaml', 'ini'].map((language) => {
    return new RegExp(`^\`\`\`${language}\\n(.*?)^\`\`\`$`, 'ms').exec(read('docs/deploying.md'))?.[1];
  });
  const [container] = parse(pod).template.spec.containers;
  const ofPod = container.env.map(({ name, value = 'postgres://pets@db.example/pets' }: Variable) => [name, value]);
  // The password is in a file that only systemd has.
  const ofUnit = [...unit.matchAll(/\b([A-Z_]+)=(\S+)/g)].map(([, name, value = '']) => [
    name,
    value.replace(/^%d.*/, 'package.json'),
  ]);
  for (const variables of [[['NODE_ENV', 'production'], ...ofPod], ofUnit]) {
    const environment = Object.fromEntries(variables);
    expect(readSettings(environment)).toMatchObject({ NODE_ENV: 'production', AUTH: 'required' });
    expect(misspeltSettings(environment)).toEqual([]);
  }
});

test('docs/operating.md has every metric, and no other', async () => {
  const rows = read('docs/operating.md').match(/^\| `[a-z]+_.*? \|/gm) ?? [];
  const documented = rows.flatMap((row) => row.match(/\w+/g) ?? []);
  const metrics = createMetrics()
    .registry.getMetricsAsArray()
    .map(({ name }) => name);
  const ownOf = (names: string[]) => names.filter((name) => !/^(process|nodejs)_/.test(name)).sort();
  expect(ownOf(documented)).toEqual(ownOf(metrics));
});

const METRIC = /\b(?:http|db|nodejs|process|lifecycle|events?|webhook)_[a-z0-9_]+/g;

test('the dashboard and the alerts name existing metrics, and their job', async () => {
  const { registry } = createMetrics();
  const metrics = new Map((await registry.getMetricsAsJSON()).map(({ name }) => [name, true]));
  const texts = ['grafana-dashboard.json', 'alerts.yaml'].map((file) => read(`docs/monitoring/${file}`));
  const named = texts.flatMap((text) => text.match(METRIC) ?? []);
  expect(named.length).toBeGreaterThan(10);
  const missing = named.filter((name) => !metrics.has(name.replace(/_(?:bucket|sum|count)$/, '')));
  expect(missing).toEqual([]);
  const isOfAnyJob = new RegExp(`(?<!label_values\\()${METRIC.source}(?!\\w|\\{job=)`, 'g');
  expect(texts.flatMap((text) => text.match(isOfAnyJob) ?? [])).toEqual([]);
});
