import type { Endpoint } from './compile.ts';
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
    description: 'The `ETag` that the row must have, or several: otherwise nothing happens, and the answer is 412.',
    schema: { type: 'string' },
  },
  'If-None-Match': {
    name: 'If-None-Match',
    in: 'header',
    required: false,
    description: 'The `ETag` of what the client has, or several: the answer is 304 while it is so.',
    schema: { type: 'string' },
  },
} as const;

/** Those that an operation takes. */
export function headerParameters({ route, operation }: Endpoint): JsonSchema[] {
  const ofWrites = operation.inPrecondition === undefined ? ['Idempotency-Key'] : ['Idempotency-Key', 'If-Match'];
  const names = route.method === 'GET' ? ['If-None-Match'] : ofWrites;
  return names.map((name) => ({ $ref: `#/components/parameters/${name}` }));
}
