import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { IDEAS } from '../bench/ablation.ts';
import { editedCode } from '../bench/edit.ts';
import { protectionsOf } from '../bench/protections.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const issuer = { url: '', token: () => Promise.reject(new Error('No token is needed.')) };
const withoutProtection = protectionsOf({ name: 'Pet store', folder: join(root, 'dist') }, issuer, { url: '' }).flatMap(
  (protection) => ('without' in protection ? [{ name: protection.name, ...protection.without }] : []),
);

describe('the benchmark finds', () => {
  test.each([...IDEAS, ...withoutProtection])('the code that it edits: $name', (edit) => {
    expect(editedCode(root, edit)).toContain(edit.by);
  });
});
