import type { Endpoint } from '../rest/compile.ts';
import { mayCreate } from '../rest/route.ts';
import { additionsOf } from './annotations.ts';
import type { JsonSchema } from './components.ts';

const text = { type: 'string' };

/** The request header fields, by the names of their components. */
const DESCRIPTIONS = {
  'Idempotency-Key':
    'A unique id of the request, such as a UUID. The request is then done once, however often it is sent: for 24 hours ' +
    'a retry gets the first response, byte for byte. It has 1 to 255 visible ASCII characters, without quotes and backslashes.',
  'If-Match':
    'The `ETag` that the row or the list must have, or several, one of which it must have. Otherwise the response is 412, ' +
    'and nothing is changed. `*` stands for any `ETag`, where nothing can be created.',
  'If-None-Match':
    'One or more `ETag`s that the client has, or `*` for any. The response is 304 if one of them is current.',
  Prefer: '`count=exact` adds `Total-Count` to the response: the number of rows on all pages (RFC 7240).',
  'If-None-Match-Any':
    '`*` requires that the row does not exist yet. Otherwise nothing is changed, and the response is 412. Send it or `If-Match`.',
  'Last-Event-ID':
    'The id of the last event that the client has: a stream goes on after it, also if `after` is another. `EventSource` sends ' +
    'it when it connects again.',
  'API-Client':
    'The name of the client, such as `shop-app`. Uses of deprecated, beta and experimental operations are counted by it.',
  'API-Lifecycle':
    '`strict` rejects operations that use something deprecated or experimental. It is meant for tests of a client.',
};
/** The only value that they accept. */
const ACCEPTED: Readonly<Record<string, string>> = { 'If-None-Match-Any': '*', 'API-Lifecycle': 'strict' };

/** They have no examples, because "Try it out" would send them. */
export const REQUEST_HEADERS: JsonSchema = Object.fromEntries(
  Object.entries(DESCRIPTIONS).map(([component, description]) => {
    const value = ACCEPTED[component];
    const schema = value === undefined ? text : { type: 'string', enum: [value] };
    return [component, { name: component.replace(/-Any$/, ''), in: 'header', required: false, description, schema }];
  }),
);

export function headerParameters(endpoint: Endpoint): JsonSchema[] {
  const { route, versionVariable, hasTag, preparedWithTotal, lifecycle } = endpoint;
  const isRead = route.method === 'GET';
  const names = [
    ...(isRead ? [] : ['Idempotency-Key']),
    ...((isRead ? hasTag : versionVariable !== undefined) ? ['If-Match'] : []),
    ...(isRead && hasTag ? ['If-None-Match'] : []),
    ...(preparedWithTotal === undefined ? [] : ['Prefer']),
    ...(mayCreate(route) ? ['If-None-Match-Any'] : []),
    ...(route.stream === undefined ? [] : ['Last-Event-ID']),
    ...additionsOf(lifecycle.annotations).parameters,
  ];
  return names.map((name) => ({ $ref: `#/components/parameters/${name}` }));
}

function responseHeader(description: string, example: string | number, schema: JsonSchema = text): JsonSchema {
  return { description, schema, example };
}

/** Examples of the header fields whose values contain paths or scopes of the application. */
export type HeaderExamples = Readonly<Record<'WWW-Authenticate' | 'Location' | 'Link' | 'Warning', string>>;

export function responseHeaders(examples: HeaderExamples): Readonly<Record<string, JsonSchema>> {
  return {
    RateLimit: responseHeader(
      'The units that the caller has left (`r`) and the seconds until it has all again (`t`), if the service has a rate ' +
        'limit (draft-ietf-httpapi-ratelimit-headers).',
      '"default";r=5999;t=42',
    ),
    'RateLimit-Policy': responseHeader(
      'The rate limit: the units (`q`) per seconds (`w`). A request costs one unit or more.',
      '"default";q=6000;w=60',
    ),
    'WWW-Authenticate': responseHeader(
      'What is missing: a credential or a scope (RFC 6750).',
      examples['WWW-Authenticate'],
    ),
    'X-Request-Id': responseHeader(
      "The id of the request: the client's own, or a new one. Log lines about the request contain it.",
      '6f1c3c1e-4f0e-4d0a-9a52-3b7b0e6f9b1d',
    ),
    ETag: responseHeader(
      'The version of the row or list (RFC 9110). Send it in `If-None-Match` to get 304 if nothing has changed; send that ' +
        'of a row in `If-Match` to change only this version.',
      '"3-Xk2p0w"',
    ),
    'Idempotent-Replayed': responseHeader(
      '`true` if this is the stored response to an earlier request with the same `Idempotency-Key`.',
      'true',
      { type: 'string', enum: ['true'] },
    ),
    Location: responseHeader('The URL of the new row.', examples.Location),
    Link: responseHeader(
      'Related URLs (RFC 8288). A list has `next`, the next page, except on the last page; the feed of events always has it. A deprecated operation has ' +
        '`successor-version`, its replacement, and `deprecation` and `sunset` with details.',
      examples.Link,
    ),
    'Total-Count': responseHeader('The number of rows on all pages, if the request has `Prefer: count=exact`.', 200, {
      type: 'integer',
      format: 'int64',
    }),
    'Preference-Applied': responseHeader('The part of `Prefer` that the response follows (RFC 7240).', 'count=exact', {
      type: 'string',
      enum: ['count=exact'],
    }),
    'Accept-Encoding': responseHeader('The accepted content encodings of a body (RFC 7694): none.', 'identity'),
    'Accept-Patch': responseHeader(
      'The accepted media types of a PATCH (RFC 5789).',
      'application/merge-patch+json, application/json',
    ),
    'Retry-After': responseHeader('Seconds to wait before a retry.', 1, { type: 'integer', format: 'int32' }),
    'API-Stability': responseHeader('The stability of the operation.', 'beta', {
      type: 'string',
      enum: ['experimental', 'beta', 'deprecated'],
    }),
    Deprecation: responseHeader('When the operation was deprecated (RFC 9745).', '@1782864000'),
    Sunset: responseHeader('Until when the operation is served (RFC 8594).', 'Fri, 31 Dec 2027 23:59:59 GMT'),
    Warning: responseHeader('A warning about the deprecation, for people.', examples.Warning),
  };
}

/** References to response header fields, with those that any response can have. */
export function headerRefs(names: readonly string[]): JsonSchema {
  const all = ['X-Request-Id', 'RateLimit', 'RateLimit-Policy', ...names];
  return Object.fromEntries(all.map((name) => [name, { $ref: `#/components/headers/${name}` }]));
}
