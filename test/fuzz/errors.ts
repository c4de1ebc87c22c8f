import { errorTable } from '../../src/engine/errors.ts';
import * as own from '../../src/petstore/errors.ts';

/** A GraphQL error as this service tells it. */
export interface ShownError {
  readonly message: string;
  readonly path?: readonly (string | number)[];
  readonly extensions: { readonly code: string; readonly status: number };
}

const KEYS = ['message', 'locations', 'path', 'extensions'];
/** What only this server's tools would say. */
const JARGON = /Variable "\$\w+" got|select |insert |violates|undefined|\[object |TypeError|Cannot read/;

const STATUSES = new Map<string, number>([
  ...Object.entries(errorTable).map(([code, { status }]) => [code, status] as const),
  ...Object.values(own).map(({ code, status }) => [code, status] as const),
]);

/**
 * Holds the errors of an answer to what they are in this service: a message, a code of the table with its status, below
 * 500, and with data beside them a path that leads to null.
 *
 * @throws {Error} that says what is wrong with which
 */
export function assertErrors(errors: unknown, data: unknown): asserts errors is readonly ShownError[] {
  if (!Array.isArray(errors) || errors.length === 0) throw new Error('Errors are a list of at least one.');
  for (const error of errors as readonly ShownError[]) {
    const told = JSON.stringify(error);
    if (Object.keys(error).some((key) => !KEYS.includes(key))) throw new Error(`An error has a key too many: ${told}`);
    if (typeof error.message !== 'string' || error.message === '') throw new Error(`No message: ${told}`);
    const { code, status } = error.extensions ?? {};
    if (STATUSES.get(code) !== status) {
      throw new Error(`An error's code and status are not of the table: ${told}`);
    }
    if (status >= 500) throw new Error(`The service failed: ${told}`);
    if (data === undefined && error.path !== undefined) throw new Error(`A refusal has a path: ${told}`);
    if (data !== undefined) assertLeadsToNull(error.path, data, told);
    // What a client has written may come again in quotes.
    if (JARGON.test(error.message.replaceAll(/"[^"]*"/g, ''))) throw new Error(`A tool's words: ${told}`);
  }
}

function assertLeadsToNull(path: ShownError['path'], data: unknown, told: string): void {
  if (!Array.isArray(path) || path.length === 0) throw new Error(`No path: ${told}`);
  let value = data;
  for (const key of path as readonly (string | number)[]) {
    if (value === null) return;
    if (typeof value !== 'object' || !Object.hasOwn(value, key)) throw new Error(`The path leads nowhere: ${told}`);
    value = (value as Record<string | number, unknown>)[key];
  }
  if (value !== null) throw new Error(`Where the error is, there is a value: ${told}`);
}
