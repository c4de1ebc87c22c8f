import type { Endpoint } from './compile.ts';
import { mayBegin } from './route.ts';
import type { JsonSchema } from './schemas.ts';

/** The request header fields that operations take. They have no examples, as those of the lifecycle have none. */
export const REQUEST_HEADERS = {
  'Idempotency-Key': {
    name: 'Idempotency-Key',
    in: 'header',
    required: false,
    description:
      'A name for this very request, such as a UUID, so that it is done once however often it is sent: for 24 hours the ' +
      'answer is the first one, byte for byte.',
    schema: { type: 'string' },
  },
  'If-Match': {
    name: 'If-Match',
    in: 'header',
    required: false,
    description:
      'The `ETag` that this must have, or several of which it must have one: otherwise nothing is changed, and the answer ' +
      'is 412.',
    schema: { type: 'string' },
  },
  'If-None-Match': {
    name: 'If-None-Match',
    in: 'header',
    required: false,
    description: 'The `ETag` of what the client has, or several: the answer is 304 while it is so.',
    schema: { type: 'string' },
  },
  Prefer: {
    name: 'Prefer',
    in: 'header',
    required: false,
    description: '`count=exact` to have the whole list counted (RFC 7240): the answer then has `Total-Count`.',
    schema: { type: 'string' },
  },
  'If-None-Match-Any': {
    name: 'If-None-Match',
    in: 'header',
    required: false,
    description: '`*` for a row that is not there yet: otherwise nothing happens, and the answer is 412.',
    schema: { type: 'string', enum: ['*'] },
  },
} as const;

/** Those that an operation takes. */
export function headerParameters({ route, operation, hasTag, counts }: Endpoint): JsonSchema[] {
  const names =
    route.method === 'GET'
      ? [...(hasTag ? ['If-Match'] : []), 'If-None-Match', ...(counts === undefined ? [] : ['Prefer'])]
      : [
          'Idempotency-Key',
          ...(operation.inPrecondition === undefined ? [] : ['If-Match']),
          ...(mayBegin(route) ? ['If-None-Match-Any'] : []),
        ];
  return names.map((name) => ({ $ref: `#/components/parameters/${name}` }));
}
