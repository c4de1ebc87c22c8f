import { type ErrorCode, type ErrorKind, errorKind } from '../errors.ts';
import { type Annotations, levelOf } from '../lifecycle/annotation.ts';
import type { Endpoint } from '../rest/compile.ts';
import { annotationFailures, annotationHeaders } from './annotations.ts';
import type { JsonSchema } from './schemas.ts';

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
const WITH_PATH: readonly ErrorCode[] = ['NOT_FOUND'];
const RETRYABLE: ReadonlySet<string> = new Set([
  'IDEMPOTENCY_CONFLICT',
  'RATE_LIMITED',
  'BROWNOUT',
  'UNAVAILABLE',
  'TIMEOUT',
]);
const WRITES: readonly ErrorCode[] = ['IDEMPOTENCY_CONFLICT', 'IDEMPOTENCY_KEY_REUSED'];
/** The statuses of errors that are stored and replayed under an `Idempotency-Key`: those found while a write runs. */
const REPLAYED: readonly number[] = [404, 409, 412, 422];
/** A CONFLICT also occurs if two requests write at the same time. */
const WITH_PRECONDITION: readonly ErrorCode[] = ['CONFLICT', 'PRECONDITION_FAILED'];

const text = { type: 'string' };
/** The response header fields. The application adds the missing examples. */
const HEADERS = {
  RateLimit: {
    description:
      'The units that the caller has left (`r`) and the seconds until it has all again (`t`), if the service has a rate ' +
      'limit (draft-ietf-httpapi-ratelimit-headers).',
    schema: text,
    example: '"default";r=5999;t=42',
  },
  'RateLimit-Policy': {
    description:
      'The rate limit: the units (`q`) per seconds (`w`). A request costs one unit, and each 20 rows cost one more.',
    schema: text,
    example: '"default";q=6000;w=60',
  },
  'WWW-Authenticate': {
    description: 'What is missing: a credential or a scope (RFC 6750).',
    schema: text,
  },
  'X-Request-Id': {
    description: "The id of the request: the client's own, or a new one. The service's log contains it.",
    schema: text,
    example: '6f1c3c1e-4f0e-4d0a-9a52-3b7b0e6f9b1d',
  },
  ETag: {
    description:
      'The version of the row or list (RFC 9110). Send it in `If-None-Match` to get 304 if nothing has changed, or that ' +
      'of a row in `If-Match` to change only this version.',
    schema: text,
    example: '"3"',
  },
  'Idempotent-Replayed': {
    description: '`true` if this is the stored answer to an earlier request with the same `Idempotency-Key`.',
    schema: { type: 'string', enum: ['true'] },
    example: 'true',
  },
  Location: { description: 'The URL of the new row.', schema: text },
  Link: {
    description:
      'Related URLs (RFC 8288). A list has `next`, the next page, except on the last page. A deprecated operation has ' +
      '`successor-version`, its replacement, and `deprecation` and `sunset` with details.',
    schema: text,
  },
  'Total-Count': {
    description: 'The number of rows on all pages, if the request has `Prefer: count=exact`.',
    schema: { type: 'integer', format: 'int64' },
    example: 200,
  },
  'Preference-Applied': {
    description: 'The part of `Prefer` that the answer follows (RFC 7240).',
    schema: { type: 'string', enum: ['count=exact'] },
    example: 'count=exact',
  },
  'Accept-Encoding': {
    description: 'The accepted content encodings of a body (RFC 7694): none.',
    schema: text,
    example: 'identity',
  },
  'Accept-Patch': {
    description: 'The accepted media types of a PATCH (RFC 5789).',
    schema: text,
    example: 'application/merge-patch+json, application/json',
  },
  'Retry-After': {
    description: 'Seconds to wait before a retry.',
    schema: { type: 'integer', format: 'int32' },
    example: 1,
  },
  'API-Stability': {
    description: 'The stability of the operation.',
    schema: { type: 'string', enum: ['experimental', 'beta', 'deprecated'] },
    example: 'beta',
  },
  Deprecation: {
    description: 'When the operation was deprecated (RFC 9745).',
    schema: text,
    example: '@1782864000',
  },
  Sunset: {
    description: 'When the operation stops working (RFC 8594).',
    schema: text,
    example: 'Fri, 31 Dec 2027 23:59:59 GMT',
  },
  Warning: {
    description: 'A warning about the deprecation, for people.',
    schema: text,
  },
};

/** Examples of the header fields whose values contain paths or scopes of the application. */
export type HeaderExamples = Readonly<Record<'WWW-Authenticate' | 'Location' | 'Link' | 'Warning', string>>;

/** All response header fields, each with an example. */
export function headersWith(examples: HeaderExamples): Readonly<Record<string, JsonSchema>> {
  return Object.fromEntries(
    Object.entries(HEADERS).map(([name, header]) => [
      name,
      name in examples ? { ...header, example: examples[name as keyof HeaderExamples] } : header,
    ]),
  );
}

/** A response in `components.responses`, which several operations can share. */
interface SharedResponse {
  readonly status: string;
  readonly name: string;
  readonly response: JsonSchema;
}

/** The error responses of an operation. */
export function failures({ route, operation, lifecycle, hasTag }: Endpoint): SharedResponse[] {
  const annotations = lifecycle.annotated?.annotations;
  const kinds = new Set<ErrorCode | ErrorKind>([
    ...ALWAYS,
    ...(operation.inPath.length > 0 ? WITH_PATH : []),
    ...(operation.inBody === undefined ? [] : WITH_BODY),
    ...(route.method === 'GET' ? [] : WRITES),
    ...(operation.inPrecondition === undefined ? [] : WITH_PRECONDITION),
    ...(route.method === 'GET' && hasTag ? (['PRECONDITION_FAILED'] as const) : []),
    ...(route.errors ?? []),
    ...annotationFailures(annotations),
  ]);
  const byStatus = new Map<number, ErrorKind[]>();
  for (const kind of [...kinds].map(errorKind)) {
    byStatus.set(kind.status, [...(byStatus.get(kind.status) ?? []), kind]);
  }
  return [...byStatus].map(([status, ofStatus]) => {
    const isReplayed = route.method !== 'GET' && REPLAYED.includes(status);
    const ofPatch = status === 415 && route.method === 'PATCH';
    const response = {
      description: ofStatus.map(({ code, title }) => `\`${code}\`: ${title}.`).join(' '),
      headers: headerRefs([
        ...(ofStatus.some(({ code }) => RETRYABLE.has(code)) ? ['Retry-After'] : []),
        ...(isReplayed ? ['Idempotent-Replayed'] : []),
        ...(status === 401 || status === 403 ? ['WWW-Authenticate'] : []),
        ...(status === 415 ? ['Accept-Encoding'] : []),
        ...(ofPatch ? ['Accept-Patch'] : []),
        ...annotationHeaders(annotations),
      ]),
      content: { 'application/json': { schema: { $ref: '#/components/schemas/Error' } } },
    };
    const kind = isReplayed ? 'OfChange' : ofPatch ? 'OfPatch' : '';
    return {
      status: String(status),
      name: ofStatus.map(({ code }) => pascalCase(code)).join('Or') + kind + levelSuffix(annotations),
      response,
    };
  });
}

/** The suffix for the shared responses of annotated operations, which have more header fields. */
export function levelSuffix(annotations: Annotations | undefined): string {
  return annotations === undefined ? '' : pascalCase(levelOf(annotations));
}

/** `NOT_FOUND` as `NotFound`. */
function pascalCase(code: string): string {
  return code.toLowerCase().replaceAll(/(?:^|_)(\w)/g, (_, letter: string) => letter.toUpperCase());
}

/** References to header fields, with those that any response can have. */
export function headerRefs(names: readonly string[]): JsonSchema {
  const all = ['X-Request-Id', 'RateLimit', 'RateLimit-Policy', ...names];
  return Object.fromEntries(all.map((name) => [name, { $ref: `#/components/headers/${name}` }]));
}

const errorFields = {
  code: {
    type: 'string',
    description: 'Machine-readable error code. The responses of each operation list theirs; more codes may be added.',
  },
  status: { type: 'integer', format: 'int32', description: 'The HTTP status code of the response.' },
};

/** The Error object of the specification. */
export function errorSchema(): JsonSchema {
  return {
    type: 'object',
    description: 'An error.',
    required: ['code', 'message', 'status'],
    properties: {
      code: errorFields.code,
      message: { type: 'string', description: 'Human-readable description of the error.' },
      status: errorFields.status,
    },
  };
}

/** Problem details (RFC 9457). */
export function problemSchema(): JsonSchema {
  return {
    type: 'object',
    description: 'An error as problem details (RFC 9457), for clients that accept them.',
    required: ['type', 'title', 'status', 'detail', 'code'],
    properties: {
      type: { type: 'string', description: 'Always `about:blank`; `code` has the kind of error.' },
      title: { type: 'string', description: 'The name of the HTTP status.' },
      status: errorFields.status,
      detail: { type: 'string', description: 'What was wrong, where, and what is accepted.' },
      code: errorFields.code,
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
}
