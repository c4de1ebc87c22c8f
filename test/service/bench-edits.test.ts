import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { IDEAS } from '../bench/ablation.ts';
import { editedCode } from '../bench/edit.ts';
import { protectionsOf } from '../bench/protections.ts';

const folder = fileURLToPath(new URL('../../dist', import.meta.url));
const issuer = { url: '', token: () => Promise.reject(new Error('No token is needed.')) };
const withoutProtection = protectionsOf({ name: 'Pet store', folder }, issuer, { url: '' }).flatMap((protection) =>
  'without' in protection ? [{ name: protection.name, ...protection.without }] : [],
);

describe('the benchmark finds in the build', () => {
  test.each([...IDEAS, ...withoutProtection])('the code that it edits: $name', (edit) => {
    expect(editedCode(folder, edit)).toContain(edit.by);
  });
});
