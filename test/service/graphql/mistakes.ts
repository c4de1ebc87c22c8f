import { expect } from 'vitest';
import type { TestApp } from '../../support/app.ts';
import { askInVain, type Values } from './ask.ts';

export type Mistake = [mistake: string, message: string | RegExp, query: string, variables?: Values];

export const PAGE_SIZE = 'first must be from 1 to 100.';
export const CURSOR = /^after is .*\bcursor\b.*\.$/;

/** Sends the query of the mistake, and expects its message with this code and status. */
export async function expectRejection(
  app: TestApp,
  code: string,
  status: number,
  [message, query, variables]: [string | RegExp, string, Values?],
) {
  const error = await askInVain(app, query, variables);
  if (typeof message === 'string') expect(error.message).toBe(message);
  else expect(error.message).toMatch(message);
  expect(error.extensions).toMatchObject({ code, status });
}
