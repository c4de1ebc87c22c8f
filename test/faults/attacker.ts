import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { type Caller, callerFrom, many, type Reply } from './caller.ts';

/** Requests that one caller repeats to keep the others from being answered. */
export interface Attack {
  readonly name: string;
  readonly clients: number;
  /** Of the service. */
  readonly settings?: Readonly<Record<string, string>>;
  send(caller: Caller, n: number): Promise<Reply>;
}

/** The pause of a client without units left, in milliseconds. */
const REJECTED = 1_000;

const key = () => ({ 'idempotency-key': randomUUID() });
const ALL = 'status: [available, pending, sold]';
const ORDERS = 'orders(first: 100) { nodes { id pet { id } } }';
const DEEP = `id pet { ${ORDERS} }`;

/** The ids of the ordered pets; there must be enough. */
export const ORDERED: readonly number[] = [7, ...Array.from({ length: 61 }, (_, n) => 100 + n)];
const STREAM = { accept: 'text/event-stream' };
/** How long a stream is read, in milliseconds. */
const FOLLOWED = 3_000;
const LONG_TYPES = `${Array.from({ length: 50 }, (_, n) => `a${n}/b${';x=1'.repeat(70)}`)},application/problem+json`;
const MANY_FIELDS = Object.fromEntries(Array.from({ length: 1_500 }, (_, n) => [`a${n}`, '']));
const LARGE = { ...Array.from({ length: 11 }, () => 'x'.repeat(95_000)) };

export const attacks: readonly Attack[] = [
  {
    name: 'counts a list 190 times in a request',
    clients: 10,
    send: ({ graphql }) => graphql(`{ ${many(190, (n) => `a${n}: inventory(first: 1, ${ALL}) { totalCount }`)} }`),
  },
  {
    name: 'counts ten lists in a request, each by other filters',
    clients: 20,
    send: ({ graphql }, n) =>
      graphql(
        `{ ${many(10, (at) => `a${at}: pets(first: 1, name: "${'abcdefghij'[at]}${n % 9}", ${ALL}) { totalCount }`)} }`,
      ),
  },
  {
    name: 'orders one pet 140 times under a key, with deep answers',
    clients: 4,
    send: ({ graphql }) =>
      graphql(`mutation { ${many(140, (n) => `a${n}: placeOrder(order: { petId: 7 }) { ${DEEP} }`)} }`, key()),
  },
  {
    name: 'holds rows under a key, and orders them plainly 60 times at once',
    clients: 61,
    send: ({ graphql, send }, n) =>
      n % 61 === 0
        ? graphql(
            `mutation { ${many(60, (at) => `a${at}: placeOrder(order: { petId: ${100 + at} }) { ${DEEP} }`)} }`,
            key(),
          )
        : send('POST', '/store/orders', { petId: 100 + (n % 61) }),
  },
  {
    name: 'changes several rows under keys, by eight at once',
    clients: 8,
    send: ({ graphql }, n) =>
      graphql(
        `mutation { ${many(30, (at) => `a${at}: updatePet(petId: ${200 + ((at * 7 + n) % 60)}, changes: { name: "x" }) { id ${ORDERS} }`)} }`,
        key(),
      ),
  },
  {
    name: 'reads as many rows as a request may',
    clients: 20,
    send: ({ graphql }) =>
      graphql(`{ categories(first: 12) { nodes { ${many(15, (n) => `a${n}: pets(first: 100) { nodes { id } }`)} } } }`),
  },
  {
    name: 'lists by many filters, 300 at once',
    clients: 300,
    send: ({ send }, n) => {
      const categories = many(12, (at) => `categoryId=${at + 1}`).replaceAll(' ', '&');
      return send('GET', `/pets?limit=100&sort=name&name=${'abcdefghij'[n % 10]}&status=sold&${categories}`);
    },
  },
  {
    name: 'sends documents that are always new, 50 at once',
    clients: 50,
    send: ({ graphql }) =>
      graphql(`{ ${many(100, (n) => `a${n}: pet(petId: ${n}) { id name category { name } }`)} } # ${randomUUID()}`),
  },
  {
    name: 'repeats documents that are too large when their fragments are expanded, 50 at once',
    clients: 50,
    send: ({ graphql }) =>
      graphql(`{ pets(first: 1) { nodes { ${'...A '.repeat(50)} } } } fragment A on Pet { ${'...B '.repeat(50)} }
        fragment B on Pet { id name }`),
  },
  {
    name: 'prepares all operations of documents that are known, 50 at once',
    clients: 50,
    send: ({ send }, n) => {
      const of = Math.floor(n / 80);
      const operations = many(80, (at) => `query q${at} { pet(petId: ${of}) { ...A } }`);
      const fragments = `fragment A on Pet { ${'...B '.repeat(50)} } fragment B on Pet { ${'...C '.repeat(30)} } fragment C on Pet { id name }`;
      return send('POST', '/graphql', { query: `${operations} ${fragments}`, operationName: `q${n % 80}` });
    },
  },
  {
    name: 'accepts thousands of media types, 100 at once',
    clients: 100,
    send: ({ send }, n) => send('GET', `/pets/${n}`, undefined, { accept: 'a/b,'.repeat(3_000) }),
  },
  {
    name: 'sends what costs nothing because it is rejected, and accepts long media types, 300 at once',
    clients: 300,
    send: ({ send }) => send('PUT', '/livez', undefined, { accept: LONG_TYPES }),
  },
  {
    name: 'sends thousands of header fields, 300 at once',
    clients: 300,
    send: ({ send }) => send('GET', '/livez', undefined, MANY_FIELDS),
  },
  {
    name: 'reads the metrics of two processes, 200 at once',
    clients: 200,
    settings: { WORKERS: '2' },
    send: ({ send }) => send('GET', '/metrics'),
  },
  {
    name: 'sends bodies of a mebibyte, 50 at once',
    clients: 50,
    send: ({ send }) => send('POST', '/graphql', { query: '{ __typename }', variables: LARGE }),
  },
  {
    name: 'follows the feed by 100 streams, from its first event on',
    clients: 100,
    send: ({ send }) => send('GET', '/events?after=1.0', undefined, STREAM, FOLLOWED),
  },
  {
    name: 'subscribes to deep selections 100 times, from the first event on',
    clients: 100,
    send: ({ graphql }, n) => {
      const pet = `category { pets(first: 20) { nodes { id ${ORDERS} } } }`;
      return graphql(
        `subscription { a${n}: events(after: "1.0") { data { ... on Pet { ${pet} } } } }`,
        STREAM,
        FOLLOWED,
      );
    },
  },
  {
    name: 'waits for a rare event on 100 pages, from the first event on',
    clients: 100,
    send: ({ send }) => send('GET', '/events?after=1.0&wait=20&type=category.deleted'),
  },
];

/** A process of its own, so that the attack does not slow down the measurement. Arguments: its name and the URL. */
export const attackerFile = fileURLToPath(import.meta.url);

if (process.argv[1] === attackerFile) await attack(process.argv[2] ?? '', process.argv[3] ?? '');

/** Attacks until SIGTERM, and then prints the statuses of the responses as JSON. */
async function attack(name: string, base: string): Promise<void> {
  const chosen = attacks.find((one) => one.name === name);
  if (chosen === undefined) throw new Error(`There is no attack "${name}".`);
  const caller = callerFrom('127.0.0.2', base);
  const seen: string[] = [];
  process.once('SIGTERM', () => process.stdout.write(JSON.stringify(seen), () => process.exit()));
  const client = async (first: number) => {
    for (let n = first; ; n += chosen.clients) {
      const { status, text } = await chosen.send(caller, n);
      seen.push(`${status} ${/"code":"(\w+)"/.exec(text)?.[1] ?? ''}`.trim());
      if (status === 429) await sleep(REJECTED);
    }
  };
  await Promise.all(Array.from({ length: chosen.clients }, (_, n) => client(n)));
}
