import type { ExecutionResult, GraphQLFormattedError } from 'graphql';
import { stringifyJson } from '../../src/engine/json.ts';

/** The parts of a result that are compared. */
export interface Answer {
  readonly data?: unknown;
  readonly errors?: readonly GraphQLFormattedError[] | undefined;
}

/** The result as a client gets it. */
export function answerOf({ data, errors }: ExecutionResult): Answer {
  return {
    ...(data !== undefined && { data }),
    ...(errors !== undefined && { errors: errors.map((one) => one.toJSON()) }),
  };
}

/**
 * Checks that a compiled operation has the same result as graphql-js: the same data with the same order of keys, and
 * the same errors where the specification defines them. Their order is free. If an error nulls a parent field, its
 * siblings may be executed or not, so each result needs only one error there (GraphQL, section 6.4.4).
 *
 * @throws {Error} if they differ
 */
export function assertAgreement(compiled: Answer, expected: Answer): void {
  const [one, other] = [stringifyJson({ data: compiled.data }), stringifyJson({ data: expected.data })];
  if (one !== other)
    throw new Error(`Compiled, the data are\n${one}, and not\n${other}\n${formatErrors(compiled, expected)}`);
  const [actual, wanted] = [errorsByPath(compiled), errorsByPath(expected)];
  for (const place of new Set([...actual.keys(), ...wanted.keys()])) {
    if (agreeAt(actual.get(place), wanted.get(place))) continue;
    throw new Error(`Compiled, other errors are at ${place}.\n${formatErrors(compiled, expected)}\n${one}`);
  }
}

/** The errors by the path of the null that they cause. */
function errorsByPath({ data, errors = [] }: Answer): Map<string, GraphQLFormattedError[]> {
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

function agreeAt(
  actual: readonly GraphQLFormattedError[] = [],
  wanted: readonly GraphQLFormattedError[] = [],
): boolean {
  const isOwn = [...actual, ...wanted].every(
    ({ path = [] }) => stringifyJson(path) === stringifyJson([...actual, ...wanted][0]?.path),
  );
  if (!isOwn) return actual.length > 0 && wanted.length > 0;
  return stringifyJson(actual.map(essence)) === stringifyJson(wanted.map(essence));
}

/** Messages about resolver mistakes differ a little: `Cage.(id,id)` names a field that is selected twice. */
function essence({ message, path, extensions }: GraphQLFormattedError): unknown {
  const said = message.replace(/\((\w+)(?:,\1)+\)/, '$1').replace(/(?<=field )"(\w+\.\w+)"/, '$1');
  return { message: said, path, extensions };
}

function formatErrors(compiled: Answer, expected: Answer): string {
  return `Compiled: ${stringifyJson(compiled.errors)}\nExpected: ${stringifyJson(expected.errors)}`;
}
