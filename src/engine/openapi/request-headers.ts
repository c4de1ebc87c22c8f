import type { Endpoint } from '../rest/compile.ts';
import { mayCreate } from '../rest/route.ts';
import type { JsonSchema } from './schemas.ts';

/** The request header fields of operations. They have no examples, because "Try it out" would send them. */
export const REQUEST_HEADERS = {
  'Idempotency-Key': {
    name: 'Idempotency-Key',
    in: 'header',
    required: false,
    description:
      'A unique id of the request, such as a UUID. The request is then done once, however often it is sent: for 24 hours ' +
      'a retry gets the first answer, byte for byte.',
    schema: { type: 'string' },
  },
  'If-Match': {
    name: 'If-Match',
    in: 'header',
    required: false,
    description:
      'The `ETag` that the row must have, or several of which it must have one. Otherwise nothing is changed, and the ' +
      'answer is 412.',
    schema: { type: 'string' },
  },
  'If-None-Match': {
    name: 'If-None-Match',
    in: 'header',
    required: false,
    description: 'One or more `ETag`s that the client has. The answer is 304 if one of them is current.',
    schema: { type: 'string' },
  },
  Prefer: {
    name: 'Prefer',
    in: 'header',
    required: false,
    description: '`count=exact` adds `Total-Count` to the answer: the number of rows on all pages (RFC 7240).',
    schema: { type: 'string' },
  },
  'If-None-Match-Any': {
    name: 'If-None-Match',
    in: 'header',
    required: false,
    description: '`*` requires that the row does not exist yet. Otherwise nothing is changed, and the answer is 412.',
    schema: { type: 'string', enum: ['*'] },
  },
} as const;

/** The request header fields of an operation. */
export function headerParameters({ route, operation, hasTag, preparedWithTotal }: Endpoint): JsonSchema[] {
  const names =
    route.method === 'GET'
      ? [...(hasTag ? ['If-Match'] : []), 'If-None-Match', ...(preparedWithTotal === undefined ? [] : ['Prefer'])]
      : [
          'Idempotency-Key',
          ...(operation.inPrecondition === undefined ? [] : ['If-Match']),
          ...(mayCreate(route) ? ['If-None-Match-Any'] : []),
        ];
  return names.map((name) => ({ $ref: `#/components/parameters/${name}` }));
}
