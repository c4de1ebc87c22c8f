import { type Issue, ServiceError, validationFailed } from '../errors.ts';
import { inputIssues } from '../graphql/input.ts';
import { stringifyJson } from '../json.ts';
import type { Method } from './route.ts';
import type { Variable } from './variables.ts';

/** A body's field that repeats the identifier in the path: people send back what they got. */
export interface ReadOnlyField {
  readonly name: string;
  /** What it must equal; undefined where nothing is created yet. */
  readonly value: unknown;
}

const MEDIA_TYPES: Readonly<Partial<Record<Method, readonly string[]>>> = {
  PATCH: ['application/merge-patch+json', 'application/json'],
};

/** The media types that a body of the method may have: a PATCH is a JSON merge patch (RFC 7396). */
export function mediaTypesFor(method: Method): readonly string[] {
  return MEDIA_TYPES[method] ?? ['application/json'];
}

/** @throws {ServiceError} UNSUPPORTED_MEDIA_TYPE when the body is of none of the method's media types */
export function assertMediaType(method: Method, contentType: string | null): void {
  const accepted = mediaTypesFor(method);
  const essence = contentType?.split(';', 1)[0]?.trim().toLowerCase();
  if (essence !== undefined && accepted.includes(essence)) return;
  const sent = contentType === null ? 'none was sent' : `not ${stringifyJson(contentType)}`;
  throw new ServiceError('UNSUPPORTED_MEDIA_TYPE', `Content-Type must be ${accepted.join(' or ')}; ${sent}.`, {
    headers: method === 'PATCH' ? { 'accept-patch': accepted.join(', ') } : {},
  });
}

/**
 * Checks a body against the input type that it is for.
 *
 * @returns the body as the variable's value, without the read-only field
 * @throws {ServiceError} VALIDATION_FAILED with everything that is wrong with it
 */
export function readBody(variable: Variable, body: unknown, readOnly: ReadOnlyField): unknown {
  if (typeof body !== 'object' || body === null || !Object.hasOwn(body, readOnly.name)) {
    return checked(variable, body, []);
  }
  const { [readOnly.name]: identifier, ...rest } = body as Readonly<Record<string, unknown>>;
  const isSame = readOnly.value !== undefined && identifier === readOnly.value;
  const message =
    readOnly.value === undefined
      ? 'is read-only: it is assigned on creation; leave it out'
      : `is read-only: it must be ${readOnly.value}, as in the path, or be left out`;
  return checked(variable, rest, isSame ? [] : [{ path: [readOnly.name], message }]);
}

function checked(variable: Variable, body: unknown, before: readonly Issue[]): unknown {
  const issues = [...before, ...inputIssues({ ...variable.argument, type: variable.type }, body)];
  if (issues.length > 0) throw validationFailed(issues);
  return body;
}
