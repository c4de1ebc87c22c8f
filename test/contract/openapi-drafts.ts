import { openApiChanges } from '../../src/contract/openapi-changes.ts';
import { readOpenApi } from '../../src/contract/openapi-elements.ts';
import { type Draft, json, ok, reference, textsOf } from '../support/drafts.ts';

/** What changed, as `break GET /things: GET /things is gone.` */
export function changes(base: Draft, head: Draft): string[] {
  const [was, is] = [base, head].map((draft) => readOpenApi(textsOf(draft)[1]));
  if (was === undefined || is === undefined) throw new Error('There are two drafts.');
  return openApiChanges(was, is).map(({ kind, coordinate, what }) => `${kind} ${coordinate}: ${what}`);
}

/** Documents whose one operation takes or answers with the schema. */
export const inRequest = (schema: object): Draft => ({
  paths: { '/things': { post: { requestBody: json(reference), responses: ok } } },
  schemas: { Thing: schema },
});
export const inResponse = (schema: object): Draft => ({
  paths: { '/things': { get: { responses: { 200: json(reference) } } } },
  schemas: { Thing: schema },
});
