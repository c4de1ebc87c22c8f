import { expect } from 'vitest';
import { stringifyJson } from '../../../src/engine/json.ts';
import type { GraphQLAnswer, TestApp } from '../../support/app.ts';

export type Values = Readonly<Record<string, unknown>>;

/** The data of an operation that must succeed. */
// biome-ignore lint/suspicious/noExplicitAny: a test looks at whatever came.
export async function ask(app: TestApp, query: string, variables?: Values): Promise<any> {
  const { data, errors } = await app.graphql(query, variables);
  expect(errors).toBeUndefined();
  return data;
}

/** The one error of an operation that must fail. Checks that its message has no internal terms. */
export async function askInVain(app: TestApp, query: string, variables?: Values) {
  const { errors = [] } = await app.graphql(query, variables);
  expect(errors).toHaveLength(1);
  const [error] = errors;
  if (error === undefined) throw new Error('There is no error.');
  expect(error.message).not.toMatch(/Variable "\$\w+" got|select |insert |update .* set/);
  return error;
}

/** Sends it as a client of the GraphQL over HTTP specification, for which errors have their own HTTP status. */
export async function askStrictly(app: TestApp, query: string, variables?: Values): Promise<GraphQLAnswer> {
  const response = await post(app, query, variables, 'application/graphql-response+json');
  const { data, errors } = (await response.json()) as GraphQLAnswer;
  return { status: response.status, headers: response.headers, data, errors };
}

/** Posts a document, and gives the response. */
export function post(
  app: TestApp,
  query: string,
  variables?: Values,
  accept = 'application/json',
  operationName?: string,
): Promise<Response> {
  const headers = { 'content-type': 'application/json', accept };
  const body = stringifyJson({ query, variables, ...(operationName !== undefined && { operationName }) });
  return app.fetch(new Request('http://pets.example/graphql', { method: 'POST', headers, body }));
}

export function range(first: number, last: number): number[] {
  return Array.from({ length: last - first + 1 }, (_, index) => first + index);
}
