import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { type Agent, request as httpRequest } from 'node:http';
import { expect } from 'vitest';
import type { ExpectedRequest } from '../support/load.ts';
import type { Service } from '../support/service.ts';
import { environment } from './processes.ts';

/** The number of processes. */
export const MANY = 2;

/** The settings of several processes. At this level each request has a log line with the process that answered it. */
export function several(): Readonly<Record<string, string>> {
  return { ...environment, LOG_LEVEL: 'debug', WORKERS: `${MANY}` };
}

/** What is asked while processes are replaced or stopped. */
export const work: readonly ExpectedRequest[] = [
  { path: '/pets?limit=1', status: 200 },
  { path: '/pets/0', status: 404 },
  { method: 'POST', path: '/graphql', body: { query: '{ pets { totalCount } }' }, status: 200 },
  { method: 'POST', path: '/categories', body: { name: 'Made under load' }, status: 201 },
  { path: '/readyz', status: 200 },
  { path: '/metrics', status: 200 },
];

/** Enough time to start all processes one after another on a busy machine. */
export const WAIT = { timeout: 60_000, interval: 100 };

/** Sends the request on a connection of its own. */
export function fetchAnew(address: string, headers: Readonly<Record<string, string>> = {}): Promise<Response> {
  return fetch(address, { headers: { connection: 'close', ...headers }, signal: AbortSignal.timeout(5_000) });
}

/** The processes that answer new connections, according to the log. */
export async function answering({ base, output }: Service): Promise<number[]> {
  const ids = Array.from({ length: 8 * MANY }, () => randomUUID());
  await Promise.all(ids.map((id) => fetchAnew(`${base}/livez`, { 'x-request-id': id })));
  const lines = () =>
    output()
      .split('\n')
      .filter((line) => ids.some((id) => line.includes(id)));
  await expect.poll(() => lines().length).toBe(ids.length);
  return [...new Set(lines().map((line) => JSON.parse(line).pid))];
}

export async function askAnew({ base }: Service, times: number, path: string): Promise<void> {
  const answers = await Promise.all(Array.from({ length: times }, () => fetchAnew(base + path)));
  expect(answers.map(({ status }) => status)).toEqual(Array(times).fill(200));
}

export async function metricsOf({ base }: Service): Promise<string> {
  return (await fetchAnew(`${base}/metrics`)).text();
}

/** Sends a part of a request. Call the result to send the rest and get the status of the response. */
export async function beginCategory(base: string): Promise<() => Promise<number | undefined>> {
  const body = JSON.stringify({ name: 'Slow' });
  const headers = { 'content-type': 'application/json', 'content-length': `${body.length}` };
  const request = httpRequest(`${base}/categories`, { method: 'POST', headers, agent: false });
  const answered = once(request, 'response');
  answered.catch(() => {});
  await new Promise((resolve) => request.write(body.slice(0, 5), resolve));
  return async () => {
    request.end(body.slice(5));
    const [response] = await answered;
    response.resume();
    return response.statusCode;
  };
}

/** The response's status and Connection header field. */
export function askReadiness(base: string, agent: Agent): Promise<[number | undefined, string | undefined]> {
  return new Promise((resolve, reject) => {
    const request = httpRequest(`${base}/readyz`, { agent }, (response) => {
      response.resume();
      response.once('end', () => resolve([response.statusCode, response.headers.connection]));
    });
    request.once('error', reject);
    request.end();
  });
}

export function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}
