import { setTimeout as sleep } from 'node:timers/promises';
import { median } from '../bench/measure/statistics.ts';
import { hostileRequests } from '../service/graphql/hostile/requests.ts';
import { malformedRequests } from '../service/malformed/requests.ts';
import { sendRaw, statusesIn } from '../support/raw.ts';
import { type Service, startService } from '../support/service.ts';
import { connectSlowClients, isServed } from '../support/slow-clients.ts';
import { makeTemporaryFolder } from '../support/temporary.ts';
import type { Finding, Scenario, Size } from './finding.ts';

const AT_ONCE = 25;
/** The maximum time until a hostile document is rejected, in milliseconds, and how often each is sent. */
const SOON = 250;
const TIMES = 5;
/** In milliseconds: how long and how often the other clients send requests, and their maximum response time. */
const MEANWHILE = 10_000;
const EVERY = 20;
const IN_TIME = 2_000;
const WELL_SERVED = 0.99;

const onOwnService = (name: string, find: (service: Service, size: Size) => Promise<Finding[]>): Scenario => ({
  name,
  async run(size) {
    const folder = makeTemporaryFolder();
    const service = await startService({ DATA_DIR: folder.path });
    try {
      // Warms up the service: first requests take longer.
      for (let n = 0; n < 40; n++) await isServed(service.base, n, IN_TIME);
      const findings = await find(service, size);
      return [
        ...findings,
        {
          promise: 'no request gets a 500, and the service keeps answering',
          measured: `${service.output().match(/"level":[56]0/g)?.length ?? 0} failures`,
          holds: !/"level":[56]0/.test(service.output()) && (await isServed(service.base, 0, IN_TIME)),
        },
      ];
    } finally {
      await service.stop('SIGKILL');
      folder.remove();
    }
  },
});

const malformed = onOwnService('malformed requests on raw sockets', async ({ base }) => {
  const requests = Object.values(malformedRequests).flat();
  const statuses: number[][] = [];
  for (let at = 0; at < requests.length; at += AT_ONCE) {
    statuses.push(
      ...(await Promise.all(
        requests.slice(at, at + AT_ONCE).map(async (bytes) => statusesIn((await sendRaw(base, bytes)).text)),
      )),
    );
  }
  const rejected = statuses.filter(([status = 0, ...others]) => status >= 400 && status < 500 && others.length === 0);
  return [
    {
      promise: 'each is answered once, with 4xx',
      measured: `${rejected.length} of ${requests.length}`,
      holds: rejected.length === requests.length,
    },
  ];
});

const hostile = onOwnService('hostile GraphQL requests', async ({ base }, { patience }) => {
  const max = SOON * patience;
  const requests = Object.values(hostileRequests).flatMap((all) => all.map(([what, body]) => ({ what, body })));
  const found: { what: string; median: number; statuses: number[] }[] = [];
  for (const { what, body } of requests) {
    const answers: { status: number; milliseconds: number }[] = [];
    for (let time = 0; time < TIMES; time++) {
      const answer = await post(base, body);
      answers.push(answer);
      // The next one waits, so that others have their turn.
      await sleep(2 * answer.milliseconds);
    }
    const times = answers.map(({ milliseconds }) => milliseconds);
    found.push({ what, median: median(times), statuses: answers.map(({ status }) => status) });
  }
  const [slowest = { what: '', median: 0 }] = [...found].sort((one, other) => other.median - one.median);
  const rejected = found.filter(({ statuses }) => statuses.every((status) => status >= 400 && status < 500));
  const soon = found.filter((one) => one.median < max);
  return [
    {
      promise: 'each is answered with 4xx',
      measured: `${rejected.length} of ${found.length}`,
      holds: rejected.length === found.length,
    },
    {
      promise: `within ${max} ms, the median of ${TIMES}`,
      measured: `${soon.length} of ${found.length}; the slowest ${slowest.median.toFixed(0)} ms (${slowest.what})`,
      holds: soon.length === found.length,
    },
  ];
});

const slow = onOwnService('1,000 slow connections', async ({ base }) => {
  const clients = await connectSlowClients(base);
  try {
    const answers: Promise<boolean>[] = [];
    const until = performance.now() + MEANWHILE;
    while (performance.now() < until) {
      answers.push(isServed(base, answers.length, IN_TIME));
      await sleep(EVERY);
    }
    const served = (await Promise.all(answers)).filter(Boolean).length;
    const there = clients.filter(({ closed }) => !closed).length;
    return [
      {
        promise: `of good requests beside them, ${WELL_SERVED * 100} % are answered within ${IN_TIME / 1000} s`,
        measured: `${served} of ${answers.length}, beside ${there} slow ones`,
        holds: served / answers.length >= WELL_SERVED && there === clients.length,
      },
    ];
  } finally {
    for (const client of clients) client.destroy();
  }
});

export const input: readonly Scenario[] = [malformed, hostile, slow];

let sent = 0;

/** Makes the document a new one, because a document that was sent before is rejected from the cache. */
async function post(base: string, body: string): Promise<{ status: number; milliseconds: number }> {
  const unknown = body.replace('"query":"', `"query":"#${sent++}\\n`);
  const headers = { 'content-type': 'application/json', accept: 'application/graphql-response+json' };
  const began = performance.now();
  const response = await fetch(`${base}/graphql`, { method: 'POST', headers, body: unknown });
  await response.text();
  return { status: response.status, milliseconds: performance.now() - began };
}
