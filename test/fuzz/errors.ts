import { errorTable } from '../../src/engine/errors.ts';
import * as own from '../../src/petstore/errors.ts';

/** A GraphQL error of this service. */
export interface ShownError {
  readonly message: string;
  readonly path?: readonly (string | number)[];
  readonly extensions: { readonly code: string; readonly status: number };
}

const KEYS = ['message', 'locations', 'path', 'extensions'];
/** Texts of internal tools. */
const JARGON = /Variable "\$\w+" got|select |insert |violates|undefined|\[object |TypeError|Cannot read/;

const STATUSES = new Map<string, number>([
  ...Object.entries(errorTable).map(([code, { status }]) => [code, status] as const),
  ...Object.values(own).map(({ code, status }) => [code, status] as const),
]);

/**
 * Checks that errors are valid for this service: a message, a code of the error table with its status below 500, and,
 * if there is data, a path that leads to null.
 *
 * @throws {Error} that says which error is wrong, and why
 */
export function assertErrors(errors: unknown, data: unknown): asserts errors is readonly ShownError[] {
  if (!Array.isArray(errors) || errors.length === 0) throw new Error('The errors must be a list of at least one.');
  for (const error of errors as readonly ShownError[]) {
    const shown = JSON.stringify(error);
    if (Object.keys(error).some((key) => !KEYS.includes(key))) throw new Error(`An error has an unknown key: ${shown}`);
    if (typeof error.message !== 'string' || error.message === '') throw new Error(`No message: ${shown}`);
    const { code, status } = error.extensions ?? {};
    if (STATUSES.get(code) !== status) {
      throw new Error(`An error's code and status are not in the error table: ${shown}`);
    }
    if (status >= 500) throw new Error(`The service failed: ${shown}`);
    if (data === undefined && error.path !== undefined) throw new Error(`A rejection has a path: ${shown}`);
    if (data !== undefined) assertLeadsToNull(error.path, data, shown);
    // Quoted parts may repeat the client's own text.
    if (JARGON.test(error.message.replaceAll(/"[^"]*"/g, ''))) throw new Error(`A tool's message: ${shown}`);
  }
}

function assertLeadsToNull(path: ShownError['path'], data: unknown, shown: string): void {
  if (!Array.isArray(path) || path.length === 0) throw new Error(`No path: ${shown}`);
  let value = data;
  for (const key of path as readonly (string | number)[]) {
    if (value === null) return;
    if (typeof value !== 'object' || !Object.hasOwn(value, key)) throw new Error(`The path leads nowhere: ${shown}`);
    value = (value as Record<string | number, unknown>)[key];
  }
  if (value !== null) throw new Error(`Where the error is, there is a value: ${shown}`);
}
