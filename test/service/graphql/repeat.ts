import { COMPILED_AT } from '../../../src/engine/operation/documents.ts';
import type { TestApp } from '../../support/app.ts';
import { post, type Values } from './ask.ts';

export type Question = [about: string, query: string, variables?: Values];

/** Often enough to be prepared (the second time) and compiled. */
export const TIMES = COMPILED_AT + 2;

/** The status and the body of each response to a document that is sent so often. */
export async function answers(
  app: TestApp,
  query: string,
  variables?: Values,
  operationName?: string,
): Promise<string[]> {
  const all: string[] = [];
  for (let time = 0; time < TIMES; time++) {
    const response = await post(app, query, variables, 'application/json', operationName);
    all.push(`${response.status} ${await response.text()}`);
  }
  return all;
}
