import type { ExecutionResult, GraphQLFormattedError } from 'graphql';
import { stringifyJson } from '../../src/engine/json.ts';

/** What is compared of an answer. */
export interface Answer {
  readonly data?: unknown;
  readonly errors?: readonly GraphQLFormattedError[] | undefined;
}

/** An answer as a client gets it. */
export function answerOf({ data, errors }: ExecutionResult): Answer {
  return {
    ...(data !== undefined && { data }),
    ...(errors !== undefined && { errors: errors.map((one) => one.toJSON()) }),
  };
}

/**
 * Holds a compiled operation's answer to graphql-js's: the same data to the order of the keys, and the same errors, as far as
 * the specification says what they are. Their order is free. Where one of them makes null of what is around it, fields in
 * there may go on or not, so each has to tell one at least (GraphQL, section 6.4.4).
 *
 * @throws {Error} where they disagree
 */
export function assertAgreement(compiled: Answer, expected: Answer): void {
  const [one, other] = [stringifyJson({ data: compiled.data }), stringifyJson({ data: expected.data })];
  if (one !== other)
    throw new Error(`Compiled, the data are\n${one}, and not\n${other}\n${tellErrors(compiled, expected)}`);
  const [told, due] = [placesOf(compiled), placesOf(expected)];
  for (const place of new Set([...told.keys(), ...due.keys()])) {
    if (agreeAt(told.get(place), due.get(place))) continue;
    throw new Error(`Compiled, other errors are told at ${place}.\n${tellErrors(compiled, expected)}\n${one}`);
  }
}

/** The errors by the place that is null for them. */
function placesOf({ data, errors = [] }: Answer): Map<string, GraphQLFormattedError[]> {
  const places = new Map<string, GraphQLFormattedError[]>();
  for (const error of errors) {
    const place = stringifyJson(nullPlace(data, error.path ?? []));
    places.set(place, [...(places.get(place) ?? []), error]);
  }
  return places;
}

function nullPlace(data: unknown, path: readonly (string | number)[]): readonly (string | number)[] {
  let at = data;
  for (const [depth, key] of path.entries()) {
    if (at == null) return path.slice(0, depth);
    at = (at as Record<string | number, unknown>)[key];
  }
  return path;
}

function agreeAt(told: readonly GraphQLFormattedError[] = [], due: readonly GraphQLFormattedError[] = []): boolean {
  const isOwn = [...told, ...due].every(
    ({ path = [] }) => stringifyJson(path) === stringifyJson([...told, ...due][0]?.path),
  );
  if (!isOwn) return told.length > 0 && due.length > 0;
  return stringifyJson(told.map(essence)) === stringifyJson(due.map(essence));
}

/** What a resolver does wrong is told in words that differ a little: `Cage.(id,id)` names a field that is selected twice. */
function essence({ message, path, extensions }: GraphQLFormattedError): unknown {
  const said = message.replace(/\((\w+)(?:,\1)+\)/, '$1').replace(/(?<=field )"(\w+\.\w+)"/, '$1');
  return { message: said, path, extensions };
}

function tellErrors(compiled: Answer, expected: Answer): string {
  return `Compiled: ${stringifyJson(compiled.errors)}\nExpected: ${stringifyJson(expected.errors)}`;
}
