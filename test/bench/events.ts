import { request } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { administer, rowsOf } from '../support/admin.ts';
import { type Contest, contestsAmongPeers } from './contests/contest.ts';
import { type Build, serviceOf } from './contests/contestant.ts';
import { CREATE, ORDER } from './contests/names.ts';
import { SMALL } from './data/size.ts';
import { type Bench, type Effort, measureContest } from './measure/contest.ts';
import { median } from './measure/statistics.ts';
import { processorTime, residentMemory } from './measure/usage.ts';
import { type Running, startServer } from './processes.ts';
import { table } from './report/table.ts';

/** The writes per second of the latency's measurement, and how many seconds it takes. */
const WRITES = 1_000;
const SECONDS = 15;
const IDLE_STREAMS = 1_000;
const BEHIND = 1_000_000;
/** In milliseconds; each stream gets one heartbeat in it. */
const IDLE_TIME = 15_000;

/**
 * Measures what events cost: writes with and without them, the time from a commit to a reader, idle streams, and how fast
 * a reader that is behind catches up.
 *
 * @returns a table in Markdown
 */
export async function measureEvents(service: Build, effort: Effort, bench: Bench): Promise<string> {
  const rows = [
    await throughput(CREATE, service, effort, bench),
    await throughput(ORDER, service, effort, bench),
    await latency(service, bench),
    await idle(service, bench),
    await catchUp(service, bench),
  ];
  return table(['Figure', 'Measured', 'Target'], rows);
}

/** In turns with the service without events, each on a database of its own: the triggers are in the database. */
async function throughput(name: string, service: Build, effort: Effort, bench: Bench): Promise<string[]> {
  const contest = contestsAmongPeers([service]).find((one) => one.name === name);
  if (contest === undefined) throw new Error(`There is no contest ${name}.`);
  const { workload } = contest;
  const on = serviceOf(service, { EVENTS: 'on' });
  const entrants = [
    { name: 'without events', contestant: serviceOf(service), data: SMALL },
    { name: 'with events', contestant: { ...on, ownDatabase: true }, data: SMALL },
  ];
  const duel: Contest = {
    ...contest,
    differIn: 'Data',
    entrants,
    targets: {},
    workload: { ...workload, rejections: [], audit: undefined },
  };
  const [without, withEvents] = await measureContest(duel, effort, bench);
  const ratio = median((withEvents?.rounds ?? []).map((round, n) => round.rate / (without?.rounds[n]?.rate ?? 1)));
  return [`${name}: requests per second, with events / without`, ratio.toFixed(2), 'at least 0.85'];
}

/** From the response to a write, sent to one process, to its event in a stream of another. */
async function latency(service: Build, bench: Bench): Promise<string[]> {
  return withServices(service, bench, 2, async ([writer, reader]) => {
    const seen = new Map<number, number>();
    const stream = await follow((reader as Running).base, 'after=now&type=category.created', (text, now) => {
      for (const [, id] of text.matchAll(/"data":\{"id":(\d+)/g)) seen.set(Number(id), now);
    });
    const written = new Map<number, number>();
    const began = performance.now();
    const writing: Promise<void>[] = [];
    for (let n = 0; n < WRITES * SECONDS; n++) {
      const due = began + (n * 1_000) / WRITES;
      if (due > performance.now()) await sleep(due - performance.now());
      // Through both processes.
      const base = ((n % 2 === 0 ? writer : reader) as Running).base;
      writing.push(create(base).then((id) => void written.set(id, performance.now())));
    }
    await Promise.all(writing);
    await sleep(1_000);
    stream.close();
    const times = [...written].map(([id, at]) => (seen.get(id) ?? Number.POSITIVE_INFINITY) - at).sort((a, b) => a - b);
    const p99 = times[Math.floor(times.length * 0.99)] ?? Number.NaN;
    const rate = Math.round((written.size * 1_000) / (performance.now() - began - 1_000));
    return [`commit to reader, 99th percentile, ${rate} writes a second`, `${Math.round(p99)} ms`, 'at most 250 ms'];
  });
}

async function idle(service: Build, bench: Bench): Promise<string[]> {
  return withServices(service, bench, 1, async ([one]) => {
    const { base, pid } = one as Running;
    for (let n = 0; n < 200; n++) await (await fetch(`${base}/pets/1`)).text();
    const without = await idleShare(pid);
    const before = residentMemory(pid) ?? 0;
    const streams = [];
    for (let n = 0; n < IDLE_STREAMS; n++) streams.push(await follow(base, 'after=now', () => {}));
    const share = await idleShare(pid);
    const memory = (residentMemory(pid) ?? 0) - before;
    for (const stream of streams) stream.close();
    const percent = (part: number) => `${(part * 100).toFixed(1)} %`;
    const measured = `${Math.round(memory)} MiB, ${percent(share)} of a core; ${percent(without)} without streams`;
    return [`${IDLE_STREAMS} idle streams`, measured, 'at most 100 MiB and 5 %'];
  });
}

/** The part of a core that a process uses that gets no requests any more. */
async function idleShare(pid: number): Promise<number> {
  await sleep(10_000);
  const start = processorTime(pid) ?? 0;
  await sleep(IDLE_TIME);
  return ((processorTime(pid) ?? 0) - start) / (IDLE_TIME * 1_000);
}

async function catchUp(service: Build, bench: Bench): Promise<string[]> {
  return withServices(service, bench, 1, async ([one], url) => {
    await administer(
      url,
      `insert into events (position, time, type, subject, data)
        select n, now(), 'pet.created', 'pets/' || n, json_build_object('id', n, 'name', 'Rex', 'categoryId', 1, 'status', 'sold', 'version', 1)
        from generate_series((select last + 1 from feed), (select last + ${BEHIND} from feed)) as n`,
    );
    const [feed] = await rowsOf<{ epoch: number; start: string }>(
      url,
      `update feed set last = last + ${BEHIND} returning last - ${BEHIND} as start, epoch`,
    );
    await administer(url, 'analyze events');
    const began = performance.now();
    let received = 0;
    await new Promise<void>((resolve) => {
      void follow((one as Running).base, `after=${feed?.epoch}.${feed?.start}`, (text) => {
        received += text.match(/^id: /gm)?.length ?? 0;
        if (received >= BEHIND) resolve();
      });
    });
    const rate = Math.round((received * 1_000) / (performance.now() - began));
    return [
      `a reader ${BEHIND.toLocaleString('en')} events behind`,
      `${rate.toLocaleString('en')} a second`,
      'at least 20,000',
    ];
  });
}

async function withServices(
  service: Build,
  { databases }: Bench,
  count: number,
  work: (running: readonly Running[], url: string) => Promise<string[]>,
): Promise<string[]> {
  const { url, remove } = await databases.copySmall();
  const running: Running[] = [];
  try {
    for (let n = 0; n < count; n++) {
      const settings = { EVENTS: 'on', MAX_STREAMS: `${IDLE_STREAMS * 20}` };
      running.push(await startServer('Pet store', await serviceOf(service, settings).command(url)));
    }
    return await work(running, url);
  } finally {
    await Promise.all(running.map((one) => one.stop()));
    await remove();
  }
}

async function create(base: string): Promise<number> {
  const response = await fetch(`${base}/categories`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: '{"name":"Dogs"}',
  });
  return ((await response.json()) as { id: number }).id;
}

/** Opens a stream; resolves when its header fields are there. */
function follow(base: string, query: string, onText: (text: string, now: number) => void) {
  return new Promise<{ close(): void }>((resolve, reject) => {
    const asking = request(
      `${base}/events?${query}`,
      { agent: false, headers: { accept: 'text/event-stream' } },
      (response) => {
        if (response.statusCode !== 200) reject(new Error(`A stream was answered with ${response.statusCode}.`));
        response.setEncoding('utf8').on('data', (text) => onText(text, performance.now()));
        response.on('error', () => {});
        resolve({ close: () => asking.destroy() });
      },
    );
    asking.on('error', reject).end();
  });
}
