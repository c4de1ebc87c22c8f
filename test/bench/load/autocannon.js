// Sends the requests of a file in turn, over and over, and prints the results as one line of JSON.
import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import autocannon from 'autocannon';

const UNIQUE = '00000000-0000-0000-0000-000000000000';
const [url, file, connections, seconds, look] = process.argv.slice(2);
const requests = JSON.parse(readFileSync(file, 'utf8')).map((request) =>
  Object.values(request.headers).includes(UNIQUE) ? { ...request, setupRequest: withUnique } : request,
);
let at = 0;

/** Replaces the placeholder by a new value for each request. */
function withUnique(request) {
  const headers = Object.entries(request.headers).map(([name, value]) => [
    name,
    value === UNIQUE ? randomUUID() : value,
  ]);
  return { ...request, headers: Object.fromEntries(headers) };
}

/** Each connection starts at another request, so that the connections together spread evenly. */
function setupClient(client) {
  client.setRequests([...requests.slice(at), ...requests.slice(0, at)]);
  at = (at + Math.ceil(requests.length / Number(connections))) % requests.length;
  if (look !== undefined) client.on('body', lookInto);
}

/** A GraphQL response with errors may have the status 200. */
function lookInto(body) {
  if (!body.includes('"errors":')) return;
  process.stderr.write(`An answer under load is a failure: ${body}\n`);
  process.exit(1);
}

const result = await autocannon({ url, connections: Number(connections), duration: Number(seconds), setupClient });
const answered = result['2xx'];
process.stdout.write(
  `${JSON.stringify({
    requests: answered,
    seconds: result.duration,
    p50: result.latency.p50,
    p99: result.latency.p99,
    rejected: result.non2xx,
    broken: result.errors + result.timeouts,
  })}\n`,
);
