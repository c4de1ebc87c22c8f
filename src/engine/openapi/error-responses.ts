import { type ErrorCode, type ErrorKind, errorKind } from '../errors.ts';
import { annotationsOf } from '../lifecycle/annotated.ts';
import { type Annotations, levelOf } from '../lifecycle/annotation.ts';
import { reachable } from '../operation/uses.ts';
import type { Endpoint } from '../rest/compile.ts';
import { additionsOf } from './annotations.ts';
import type { JsonSchema } from './components.ts';
import { headerRefs } from './headers.ts';

const ALWAYS: readonly ErrorCode[] = [
  'UNAUTHENTICATED',
  'FORBIDDEN',
  'INVALID_ARGUMENT',
  'NOT_ACCEPTABLE',
  'RATE_LIMITED',
  'INTERNAL',
  'UNAVAILABLE',
  'TIMEOUT',
];
const WITH_BODY: readonly ErrorCode[] = [
  'MALFORMED_JSON',
  'PAYLOAD_TOO_LARGE',
  'UNSUPPORTED_MEDIA_TYPE',
  'VALIDATION_FAILED',
];
/** They say themselves after how long a retry may succeed. */
const LATER = ['RATE_LIMITED', 'BROWNOUT'];
const WRITES: readonly ErrorCode[] = ['IDEMPOTENCY_CONFLICT', 'IDEMPOTENCY_KEY_REUSED'];
/** The statuses of errors that are stored and replayed under an `Idempotency-Key`: those found while a write runs. */
const REPLAYED = [404, 409, 410, 412, 422];
/** A CONFLICT also occurs if two requests write at the same time. */
const WITH_PRECONDITION: readonly ErrorCode[] = ['CONFLICT', 'PRECONDITION_FAILED'];

/** The error responses of an operation, each for `components.responses`, because operations share them. */
export function errorResponses(endpoint: Endpoint) {
  const kinds = new Set(codesOf(endpoint));
  const byStatus = new Map<number, ErrorKind[]>();
  for (const kind of [...kinds].map(errorKind)) {
    byStatus.set(kind.status, [...(byStatus.get(kind.status) ?? []), kind]);
  }
  return [...byStatus].map(([status, ofStatus]) => responseOf(status, ofStatus, endpoint));
}

function responseOf(status: number, kinds: readonly ErrorKind[], { route, lifecycle: { annotations } }: Endpoint) {
  const isReplayed = route.method !== 'GET' && REPLAYED.includes(status);
  const ofPatch = status === 415 && route.method === 'PATCH';
  const suffix = isReplayed ? 'OfChange' : ofPatch ? 'OfPatch' : '';
  return {
    status: String(status),
    name: kinds.map(({ code }) => pascalCase(code)).join('Or') + suffix + levelSuffix(annotations),
    response: {
      description: kinds.map(({ code, title }) => `\`${code}\`: ${title}.`).join(' '),
      headers: headerRefs([
        ...(kinds.some(({ code, isTemporary }) => isTemporary || LATER.includes(code)) ? ['Retry-After'] : []),
        ...(isReplayed ? ['Idempotent-Replayed'] : []),
        ...(status === 401 || status === 403 ? ['WWW-Authenticate'] : []),
        ...(status === 415 ? ['Accept-Encoding'] : []),
        ...(ofPatch ? ['Accept-Patch'] : []),
        ...additionsOf(annotations).headers,
      ]),
      content: { 'application/json': { schema: { $ref: '#/components/schemas/Error' }, examples: examplesOf(kinds) } },
    },
  };
}

function codesOf(endpoint: Endpoint): readonly (ErrorCode | ErrorKind)[] {
  const { route, pathVariables, queryVariables, bodyVariable, versionVariable } = endpoint;
  const inputs = [...pathVariables, ...queryVariables, bodyVariable]
    .flatMap((variable) => variable?.argument ?? [])
    .flatMap((argument) => [argument, ...reachable(argument.type)]);
  return [
    ...ALWAYS,
    ...(pathVariables.length > 0 ? (['NOT_FOUND'] as const) : []),
    ...(bodyVariable === undefined ? [] : WITH_BODY),
    ...(route.method === 'GET' ? [] : WRITES),
    ...(versionVariable === undefined ? [] : WITH_PRECONDITION),
    ...(route.method === 'GET' && endpoint.hasTag ? (['PRECONDITION_FAILED'] as const) : []),
    ...(route.errors ?? []),
    ...additionsOf(endpoint.lifecycle.annotations).errors,
    ...inputs.flatMap((input) => additionsOf(annotationsOf(input)).errors),
  ];
}

/** By code. Mock servers answer with them, but some prefer an example of the schema `Error`, which so has none. */
function examplesOf(kinds: readonly ErrorKind[]): JsonSchema {
  return Object.fromEntries(
    kinds.map(({ code, title, status }) => [code, { value: { code, message: `${title}.`, status } }]),
  );
}

/** The suffix for the shared responses of annotated operations, which have more header fields. */
export function levelSuffix(annotations: Annotations | undefined): string {
  return annotations === undefined ? '' : pascalCase(levelOf(annotations));
}

function pascalCase(code: string): string {
  return code.toLowerCase().replaceAll(/(?:^|_)(\w)/g, (_, letter: string) => letter.toUpperCase());
}

const code = {
  type: 'string',
  description: 'Machine-readable error code. The responses of each operation list theirs; more codes may be added.',
};
const status = { type: 'integer', format: 'int32', description: 'The HTTP status code of the response.' };

export const ERROR_SCHEMA: JsonSchema = {
  type: 'object',
  description: 'An error.',
  required: ['code', 'message', 'status'],
  properties: { code, message: { type: 'string', description: 'Human-readable description of the error.' }, status },
};

export const PROBLEM_SCHEMA: JsonSchema = {
  type: 'object',
  description: 'An error as problem details (RFC 9457), for clients that accept them.',
  required: ['type', 'title', 'status', 'detail', 'code'],
  properties: {
    type: { type: 'string', description: 'Always `about:blank`; `code` has the kind of error.' },
    title: { type: 'string', description: 'The name of the HTTP status.' },
    status,
    detail: { type: 'string', description: 'What was wrong, where, and what is accepted.' },
    code,
    errors: {
      type: 'array',
      description: 'Each invalid value, if there can be several.',
      items: {
        type: 'object',
        required: ['pointer', 'message'],
        properties: {
          pointer: { type: 'string', description: 'JSON Pointer (RFC 6901) to the value.' },
          message: { type: 'string', description: 'What it must be.' },
        },
      },
    },
  },
};
