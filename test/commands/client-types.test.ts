import { readFileSync } from 'node:fs';
import openapiTS, { astToString, COMMENT_HEADER } from 'openapi-typescript';
import { expect, test } from 'vitest';

const read = (path: string) => readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8');

test('the types of the REST client are those of schema/openapi.json; `npm run schema` writes them', async () => {
  // Fields with a default are optional in a request; without this option the types would require them.
  const ast = await openapiTS(read('schema/openapi.json'), { defaultNonNullable: false, silent: true });
  expect(COMMENT_HEADER + astToString(ast)).toBe(read('test/clients/openapi.d.ts'));
});
