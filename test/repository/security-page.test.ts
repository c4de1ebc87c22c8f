import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';

const read = (path: string) => readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8');
const page = read('SECURITY.md');
const references = [...page.matchAll(/`(test\/[^`]+)`: "([^"|]+)"/g)].map(([, file = '', name = '']) => ({
  file,
  name,
}));
const parts = references.flatMap(({ file, name }) => name.split(' > ').map((title) => [file, title] as const));

test.each(parts)('SECURITY.md refers to %s, which has "%s"', (file, title) => {
  const quoted = [`'${title.replaceAll("'", "\\'")}'`, `"${title}"`, `\`${title}\``];
  expect(quoted.some((text) => read(file).includes(text))).toBe(true);
});

test('each of the ten risks has a test, and each reference to a test is checked', () => {
  const rows = page.match(/^\| \*\*API\d+\*\* .+$/gm) ?? [];
  expect(rows.map((row) => /API\d+/.exec(row)?.[0])).toEqual(Array.from({ length: 10 }, (_, n) => `API${n + 1}`));
  for (const row of rows) expect(row).toContain('`test/');
  expect(page.match(/\.test\.ts/g)).toHaveLength(references.length);
});
