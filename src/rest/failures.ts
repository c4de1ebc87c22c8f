import { type ErrorCode, errorTable } from '../errors.ts';
import type { Endpoint } from './compile.ts';
import { markFailures, markHeaders } from './marks.ts';
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
const MAY_BE_TRIED_AGAIN: ReadonlySet<ErrorCode> = new Set([
  'IDEMPOTENCY_CONFLICT',
  'RATE_LIMITED',
  'BROWNOUT',
  'UNAVAILABLE',
  'TIMEOUT',
]);
const WRITES: readonly ErrorCode[] = ['IDEMPOTENCY_CONFLICT', 'IDEMPOTENCY_KEY_REUSED'];
/** What may be found once a write runs, and is answered again under its key. */
const REPLAYED: readonly number[] = [404, 409, 412, 422];
/** Also of two writers at once, of which one comes too late. */
const WITH_PRECONDITION: readonly ErrorCode[] = ['CONFLICT', 'PRECONDITION_FAILED'];

const text = { type: 'string' };
/** Every header field that an answer is described with. */
export const HEADERS: Readonly<Record<string, { description: string; schema: JsonSchema; example: unknown }>> = {
  RateLimit: {
    description:
      'Where the service limits how much each caller may ask for: what is left of it (`r`), and for how many seconds ' +
      '(`t`), by draft-ietf-httpapi-ratelimit-headers.',
    schema: text,
    example: '"default";r=5999;t=42',
  },
  'RateLimit-Policy': {
    description:
      'That limit: how many units (`q`) in how many seconds (`w`). A request is one unit, and 20 rows one more.',
    schema: text,
    example: '"default";q=6000;w=60',
  },
  'WWW-Authenticate': {
    description: 'What is missing: a credential, or a scope of it (RFC 6750).',
    schema: text,
    example: 'Bearer realm="pet-store", scope="orders:write"',
  },
  'X-Request-Id': {
    description: "The request's id: the client's own, or a new one. The service's log has it.",
    schema: text,
    example: '6f1c3c1e-4f0e-4d0a-9a52-3b7b0e6f9b1d',
  },
  ETag: {
    description:
      'Which version of the row or list this is (RFC 9110). `If-None-Match` with it asks for another alone; `If-Match` ' +
      'with that of a row lets a change happen only to this very version.',
    schema: text,
    example: '"3"',
  },
  'Idempotent-Replayed': {
    description: '`true` where the answer is that to an earlier request with the same `Idempotency-Key`.',
    schema: { type: 'string', enum: ['true'] },
    example: 'true',
  },
  Location: { description: 'The address of the new row.', schema: text, example: 'https://pets.example/pets/12' },
  Link: {
    description:
      'Addresses that go with this one (RFC 8288). Of a list, `next` is the next page, and absent on the last. Of a ' +
      'deprecated operation, `successor-version` takes its place, and `deprecation` and `sunset` tell more.',
    schema: text,
    example: '<https://pets.example/pets?after=WyJwZXRzLmlkIiwiMjAiXQ>; rel="next"',
  },
  'Total-Count': {
    description: 'How many rows the whole list has, on all its pages; where the request has `Prefer: count=exact`.',
    schema: { type: 'integer' },
    example: 200,
  },
  'Preference-Applied': {
    description: 'What the answer has kept to of `Prefer` (RFC 7240).',
    schema: { type: 'string', enum: ['count=exact'] },
    example: 'count=exact',
  },
  'Accept-Encoding': {
    description: 'How a body may be encoded (RFC 7694): not at all.',
    schema: text,
    example: 'identity',
  },
  'Accept-Patch': {
    description: 'The media types that a PATCH takes (RFC 5789).',
    schema: text,
    example: 'application/merge-patch+json, application/json',
  },
  'Retry-After': { description: 'Seconds to wait before trying again.', schema: { type: 'integer' }, example: 1 },
  'API-Stability': {
    description: 'How far the operation can be relied on.',
    schema: { type: 'string', enum: ['experimental', 'beta', 'deprecated'] },
    example: 'beta',
  },
  Deprecation: {
    description: 'Since when the operation is deprecated (RFC 9745).',
    schema: text,
    example: '@1782864000',
  },
  Sunset: {
    description: 'Until when the operation is served (RFC 8594).',
    schema: text,
    example: 'Fri, 31 Dec 2027 23:59:59 GMT',
  },
  Warning: {
    description: 'The deprecation, in words.',
    schema: text,
    example:
      '299 - "GET /pets/{petId} is deprecated since 2026-07-01 and served until 2027-12-31; use GET /pets?id={petId} instead"',
  },
};

/** The failures that an operation can answer with, by status. */
export function failures({ route, operation, lifecycle, hasTag }: Endpoint): [string, JsonSchema][] {
  const marks = lifecycle.marked?.marks;
  const codes = new Set<ErrorCode>([
    ...ALWAYS,
    ...(operation.inPath.length > 0 ? WITH_PATH : []),
    ...(operation.inBody === undefined ? [] : WITH_BODY),
    ...(route.method === 'GET' ? [] : WRITES),
    ...(operation.inPrecondition === undefined ? [] : WITH_PRECONDITION),
    ...(route.method === 'GET' && hasTag ? (['PRECONDITION_FAILED'] as const) : []),
    ...(route.errors ?? []),
    ...markFailures(marks),
  ]);
  const byStatus = new Map<number, ErrorCode[]>();
  for (const code of codes) {
    const { status } = errorTable[code];
    byStatus.set(status, [...(byStatus.get(status) ?? []), code]);
  }
  return [...byStatus].map(([status, ofStatus]) => [
    String(status),
    {
      description: ofStatus.map((code) => `\`${code}\`: ${errorTable[code].title}.`).join(' '),
      headers: headerRefs([
        ...(ofStatus.some((code) => MAY_BE_TRIED_AGAIN.has(code)) ? ['Retry-After'] : []),
        ...(route.method !== 'GET' && REPLAYED.includes(status) ? ['Idempotent-Replayed'] : []),
        ...(status === 401 || status === 403 ? ['WWW-Authenticate'] : []),
        ...(status === 415 ? ['Accept-Encoding'] : []),
        ...(status === 415 && route.method === 'PATCH' ? ['Accept-Patch'] : []),
        ...markHeaders(marks),
      ]),
      content: {
        'application/json': { schema: { $ref: '#/components/schemas/Error' } },
        'application/problem+json': { schema: { $ref: '#/components/schemas/Problem' } },
      },
    },
  ]);
}

/** References to header fields, with those that every answer has or may have. */
export function headerRefs(names: readonly string[]): JsonSchema {
  const all = ['X-Request-Id', 'RateLimit', 'RateLimit-Policy', ...names];
  return Object.fromEntries(all.map((name) => [name, { $ref: `#/components/headers/${name}` }]));
}

const errorFields = {
  code: {
    type: 'string',
    description: 'Machine-readable error code; the answers of an operation name theirs, and more may come.',
  },
  status: { type: 'integer', description: 'The HTTP status code: that of the response.' },
};

/** The Error object of the specification. */
export function errorSchema(): JsonSchema {
  return {
    type: 'object',
    description: 'A failure.',
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
    description: 'A failure as problem details (RFC 9457), for a client that accepts them.',
    required: ['type', 'title', 'status', 'detail', 'code'],
    properties: {
      type: { type: 'string', description: 'Always `about:blank`: the code tells the kind of failure.' },
      title: { type: 'string', description: 'The status, in the words of HTTP.' },
      status: errorFields.status,
      detail: { type: 'string', description: 'What was wrong, where, and what is accepted.' },
      code: errorFields.code,
      errors: {
        type: 'array',
        description: 'The faults one by one, where there may be several.',
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
