import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startTestApp, type TestApp } from '../../support/app.ts';
import { asking, examples, many, post, type Sent } from './examples.ts';
import { limitOf } from './limits-page.ts';

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp();
});
afterAll(() => app?.dispose());

async function answerTo({ method, path, body, key, accept = '*/*' }: Sent): Promise<string> {
  const headers = { accept, 'content-type': 'application/json', ...(key !== undefined && { 'idempotency-key': key }) };
  const init = { method, headers, ...(body !== undefined && { body }) };
  return (await app.fetch(new Request(`http://pets.example${path}`, init))).text();
}

/** The error of the response; undefined if there is none. */
async function rejectionOf(sent: Sent): Promise<{ status: number; code: string } | undefined> {
  const answer = JSON.parse(await answerTo(sent));
  const { status, code } = answer.errors?.[0].extensions ?? answer;
  return code && { status, code };
}

describe('the maximum in docs/limits.md is accepted, and one more gets the documented error', () => {
  test.each(Object.entries(examples))('%s', async (what, make) => {
    const { max, status, code } = limitOf(what);
    expect(await rejectionOf(make(max))).toBeUndefined();
    expect(await rejectionOf(make(max + 1))).toEqual({ status, code });
  });
});

describe('up to the maximum in docs/limits.md', () => {
  test('errors are listed, with a note that there are more', async () => {
    const { max } = limitOf('errors named in a response');
    const fields = many(max + 1, (n) => `"field${n}":1`, ',');
    const problem = await answerTo({ ...post('/categories', `{${fields}}`), accept: 'application/problem+json' });
    expect(JSON.parse(problem).errors).toHaveLength(max);
    expect(problem).toContain('There are more errors.');
    const { errors } = JSON.parse(await answerTo(asking(`{ ${many(max + 1, (n) => `field${n}`)} }`)));
    expect(errors).toHaveLength(max + 1);
    expect(errors.at(-1).message).toMatch(/^Too many validation errors/);
  });

  test('characters of a message about a document are sent', async () => {
    const { max } = limitOf('characters of a message about the document');
    const { errors } = JSON.parse(await answerTo(asking(`{ ${'x'.repeat(2 * max)} }`)));
    expect(errors[0].message).toHaveLength(max);
  });

  test('characters of a response are stored under an Idempotency-Key; a change with a longer one is not made', async () => {
    const { max, status, code } = limitOf('characters of the response to a request with an `Idempotency-Key`');
    const made = await app.rest('POST', '/categories', { body: { name: 'Dogs', description: 'x'.repeat(2_000) } });
    const { id } = made.body;
    for (let n = 0; n < 6; n++) await app.rest('POST', '/pets', { body: { name: 'Rex', categoryId: id } });
    const descriptions = many(max / (6 * 2_000) + 1, (n) => `c${n}: category { description }`);
    const change = `mutation { replaceCategory(categoryId: ${id}, category: { name: "Cats", description: "${'y'.repeat(2_000)}" })
      { pets(first: 6) { nodes { ${descriptions} } } } }`;
    expect(await rejectionOf({ ...asking(change), key: 'long' })).toEqual({ status, code });
    expect((await app.rest('GET', `/categories/${id}`)).body.name).toBe('Dogs');
    expect(await rejectionOf(asking(change))).toBeUndefined();
  });
});
