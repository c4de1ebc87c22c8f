import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test, vi } from 'vitest';
import { editedCode, editedCopy } from '../bench/edit.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));

describe('the build stops with one clear line', () => {
  test.each([
    {
      at: 'a mutation without a scope',
      file: 'src/petstore/categories/graphql.ts',
      replace: "  scope: 'catalogue:write',\n",
      by: '',
      line: 'Mutation.createCategory needs a scope.',
    },
    {
      at: 'a notice period that is too short',
      file: 'src/petstore/pets/graphql.ts',
      replace: "sunset: '2027-12-31'",
      by: "sunset: '2026-07-31'",
      line: "Query.pet: from 2026-07-01 to 2026-07-31 are 30 days; stable elements need 180 days' notice.",
    },
  ])('at $at', ({ line, ...edit }) => {
    let printed = '';
    try {
      editedCopy(root, edit);
    } catch (error) {
      printed = (error as { stderr?: Buffer }).stderr?.toString() ?? String(error);
    }
    expect(printed).toBe(`Building ...\n${line}\n`);
  });
});

const file = 'src/petstore/service.ts';
const titled = (title: string) => ({ file, replace: "title: 'Pet store'", by: `title: '${title}'` });
/** Saves the copy with another title. */
const save = (copy: string, title: string) => writeFileSync(join(copy, file), editedCode(root, titled(title)));
/** Resolves with the code with which the build exits. */
async function build(copy: string): Promise<number> {
  const [code] = await once(spawn(process.execPath, ['build.js'], { cwd: copy, stdio: 'ignore' }), 'exit');
  return code;
}

test('a build keeps the files of the build before, and removes older ones', () => {
  const copy = editedCopy(root, titled('One'));
  try {
    const files = () => readdirSync(join(copy, 'dist'), { recursive: true, encoding: 'utf8' });
    const rebuilt = (title: string) => {
      save(copy, title);
      execFileSync(process.execPath, ['build.js'], { cwd: copy, stdio: 'pipe' });
      return files();
    };
    const [one, two, three] = [files(), rebuilt('Two'), rebuilt('Three')];
    expect(two).toEqual(expect.arrayContaining(one));
    const ofTwo = two.filter((name) => !one.includes(name));
    expect(three).toEqual(expect.arrayContaining(ofTwo));
    expect(three).toHaveLength(two.length);
  } finally {
    rmSync(copy, { recursive: true });
  }
});

test('a change that is saved during a build is in the next one', async () => {
  const copy = editedCopy(root, titled('One'));
  try {
    const bundled = () => statSync(join(copy, 'dist/main.js')).mtimeMs;
    const before = bundled();
    save(copy, 'Two');
    const building = build(copy);
    await vi.waitFor(() => expect(bundled()).toBeGreaterThan(before), 10_000);
    save(copy, 'Three');
    await building;
    await build(copy);
    const files = readdirSync(join(copy, 'dist'), { encoding: 'utf8' }).filter((name) => name.endsWith('.js'));
    const texts = files.map((name) => readFileSync(join(copy, 'dist', name), 'utf8'));
    expect(texts.some((text) => text.includes('"Three"'))).toBe(true);
  } finally {
    rmSync(copy, { recursive: true });
  }
});
