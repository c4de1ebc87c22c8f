import { type Random, seeded } from '../data/random.ts';
import { graphqlKinds } from './graphql.ts';
import { restKinds } from './rest.ts';

/** A complete request with its header fields. */
export interface SoakRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
}

/** The rows in the database, for requests that find some. */
export interface Known {
  readonly pets: number;
  readonly orderCursors: readonly string[];
}

/** Makes the nth request of one kind; each n makes another. */
type Make = (n: number, random: Random, known: Known) => SoakRequest;

/** A kind, and its share of the requests, in percent. */
export type Kind = readonly [share: number, make: Make];

const HUNDRED = [...graphqlKinds, ...restKinds].flatMap(([share, make]) => Array<Make>(share).fill(make));

/** The nth request: nearly all differ in everything that a client can make up; each is the same in every run. */
export function hostileRequest(n: number, known: Known): SoakRequest {
  const random = seeded(n);
  const request = random.pick(HUNDRED)(n, random, known);
  return { ...request, headers: { ...request.headers, ...madeUpHeaders(n, random) } };
}

function madeUpHeaders(n: number, { pick, integer }: Random): Record<string, string> {
  const one = (...choices: Record<string, string>[]) => pick(choices);
  return {
    ...one({}, { 'api-client': `client-${n}` }, { 'apollographql-client-name': `${n} Ünïque` }),
    ...one({}, { 'user-agent': `Agent${n}/${n % 7}.0 (X; ${'y'.repeat(n % 600)})` }),
    ...one(
      { accept: '*/*' },
      { accept: 'application/json' },
      { accept: `application/json;q=0.${integer(1, 999)}, application/x${n}` },
      { accept: `application/graphql-response+json; x=${n}, application/problem+json` },
    ),
    ...one({}, {}, { 'x-request-id': `${n}` }, { origin: `https://${n}.example` }),
    ...one({}, {}, { 'if-none-match': `"${n}"` }, { [`x-made-up-${n}`]: `${n}` }),
  };
}
