import { once } from 'node:events';
import { connect, type Socket } from 'node:net';

/** The time between two bytes of a slow client, in milliseconds. */
const SLOWNESS = 500;

const JSON_FIELDS = 'Host: x\r\nContent-Type: application/json\r\n';

/** The bytes that each client sends at once, and those that follow singly; 1,000 clients, the default maximum. */
const KINDS = {
  'heads a byte at a time': { count: 250, first: 'G', rest: `ET /pets HTTP/1.1\r\nHost: x\r\nX: ${'x'.repeat(100)}` },
  'REST bodies a byte at a time': { count: 200, first: postHead('/categories'), rest: '{"name":"Slow"' },
  'GraphQL bodies a byte at a time': { count: 200, first: postHead('/graphql'), rest: '{"query":"{ __ty' },
  'chunks a byte at a time': { count: 100, first: chunkedHead(), rest: '1\r\n{\r\n1\r\n"\r\n' },
  'bodies with no byte': { count: 100, first: postHead('/pets'), rest: '' },
  'responses that are not read': { count: 140, first: get('/openapi.json'), rest: '' },
  // Six megabytes for each client: more than the operating system buffers.
  'many responses that are not read': { count: 10, first: get('/openapi.json').repeat(20), rest: '' },
};

/** Connects the 1,000 clients, and gives their connections, which the caller destroys. */
export async function connectSlowClients(base: string): Promise<Socket[]> {
  const clients: Socket[] = [];
  for (const { count, first, rest } of Object.values(KINDS)) {
    for (let n = 0; n < count; n++) clients.push(await connectSlowly(base, first, rest));
  }
  return clients;
}

/** Connects a client that never reads; it sends the first bytes at once, and then the rest one byte at a time. */
export async function connectSlowly(base: string, first: string, rest: string): Promise<Socket> {
  const { hostname, port } = new URL(base);
  const socket = connect(Number(port), hostname).setNoDelay().pause();
  // A rejected client may get an error while it sends.
  socket.on('error', () => {});
  await once(socket, 'connect');
  socket.write(first);
  let at = 0;
  const sending = setInterval(() => {
    if (at < rest.length && socket.writable) socket.write(rest.charAt(at++));
  }, SLOWNESS);
  socket.once('close', () => clearInterval(sending));
  return socket;
}

/** The head of a POST whose body of 1,000 bytes follows. */
export function postHead(path: string, fields = ''): string {
  return `POST ${path} HTTP/1.1\r\n${JSON_FIELDS}${fields}Content-Length: 1000\r\n\r\n`;
}

/**
 * Whether a read or a change, over REST or GraphQL, succeeds in time.
 *
 * @param n the number of the request, which selects its kind
 * @param soon the maximum time, in milliseconds
 */
export async function isServed(base: string, n: number, soon: number): Promise<boolean> {
  const headers = { 'content-type': 'application/json', connection: 'close' };
  const signal = AbortSignal.timeout(soon);
  const asked = [
    () => fetch(`${base}/pets?limit=5`, { headers, signal }),
    () => fetch(`${base}/categories`, { method: 'POST', headers, body: `{"name":"Good ${n}"}`, signal }),
    () => fetch(`${base}/graphql?query={pets{totalCount}}`, { headers, signal }),
    () => fetch(`${base}/readyz`, { headers, signal }),
  ];
  try {
    const answer = await (asked[n % asked.length] as () => Promise<Response>)();
    await answer.text();
    return answer.ok;
  } catch {
    return false;
  }
}

function get(path: string): string {
  return `GET ${path} HTTP/1.1\r\nHost: x\r\n\r\n`;
}

function chunkedHead(): string {
  return `POST /categories HTTP/1.1\r\n${JSON_FIELDS}Transfer-Encoding: chunked\r\n\r\n`;
}
