import { setTimeout as sleep } from 'node:timers/promises';
import type { Finding } from './finding.ts';
import type { Ledger } from './ledger.ts';
import { send } from './load.ts';

/** A client that follows the feed by its stream, and resumes whenever that is cut. */
interface Follower {
  /** The ids of the events that it was sent, in order. */
  readonly ids: readonly string[];
  readonly cuts: number;
  /** Waits until it was sent the event with this id, and stops. */
  stopAfter(id: string): Promise<void>;
}

const PATIENCE = 30_000;

/** Follows the feed of a service from its first event on. */
export async function follow(base: string): Promise<Follower> {
  const [first] = (await (await fetch(`${base}/events?limit=1&wait=10`)).json()) as { id: string }[];
  const ids = [first?.id ?? ''];
  let place = ids[0];
  let cuts = 0;
  let last = '';
  const isOver = () => ids.at(-1) === last;
  const running = (async () => {
    while (!isOver()) {
      const headers = { accept: 'text/event-stream', 'last-event-id': place ?? '' };
      try {
        const response = await fetch(`${base}/events`, { headers, signal: AbortSignal.timeout(PATIENCE) });
        if (response.status === 410 || response.status === 400) throw new Error(await response.text());
        let text = '';
        const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
        for (let chunk = await reader?.read(); chunk?.done === false; chunk = await reader?.read()) {
          text += chunk.value;
          const end = text.lastIndexOf('\n\n');
          const whole = text.slice(0, end + 1);
          ids.push(...[...whole.matchAll(/^id: (.+)\nevent: /gm)].map(([, id = '']) => id));
          // The stream also says where it is without an event.
          place = [...whole.matchAll(/^id: (.+)$/gm)].at(-1)?.[1] ?? place;
          text = text.slice(end + 1);
          if (isOver()) return;
        }
      } catch {
        // Cut off: it goes on after the last event that came whole.
      }
      cuts++;
      await sleep(20);
    }
  })();
  return {
    ids,
    get cuts() {
      return cuts;
    },
    async stopAfter(id) {
      last = id;
      await Promise.race([running, sleep(PATIENCE)]);
    },
  };
}

interface Received {
  readonly id: string;
  readonly type: string;
  readonly subject: string;
  readonly data: { readonly version: number; readonly petId?: number };
}

/** Finds out whether the feed has everything that is stored and acknowledged, once and in order. */
export async function auditFeed(base: string, ledger: Ledger, follower: Follower): Promise<Finding[]> {
  await untilQuiet(base);
  const received = await allEvents(base);
  await follower.stopAfter(received.at(-1)?.id ?? '');
  const ids = received.map(({ id }) => id);
  const gaps = ids.filter((id, n) => positionOf(id) !== positionOf(ids[0] ?? '') + n).length;
  const versions = new Map<string, number>();
  let disordered = 0;
  for (const { subject, data, type } of received) {
    const before = versions.get(subject) ?? 0;
    // The version of an entry of the inventory is also raised by changes of its pet.
    const isNext = subject.startsWith('inventory/') ? data.version > before : data.version === before + 1;
    if (!isNext && !/deleted|cancelled|stopped/.test(type)) disordered++;
    versions.set(subject, data.version);
  }
  const stored = await storedVersions(base);
  const lost = [...stored].filter(([subject, version]) => versions.get(subject) !== version).length;
  const acknowledged = [
    ...[...ledger.pets.keys()].map((id) => `pets/${id}`),
    ...[...ledger.orders.keys()].map((id) => `orders/${id}`),
  ];
  const missing = acknowledged.filter((subject) => !versions.has(subject)).length;
  const followed = follower.ids.join() === ids.join();
  return [
    {
      promise: 'the feed has each committed change once, and each row in the order of its versions',
      measured: `${received.length} events; ${lost + missing} lost, ${gaps} gaps, ${disordered} out of order, ${causeless(received)} before their causes`,
      holds: received.length > acknowledged.length && lost + missing + gaps + disordered + causeless(received) === 0,
    },
    {
      promise: 'a stream that is resumed whenever it is cut sends every event once',
      measured: `${follower.ids.length} of ${ids.length} events, cut ${follower.cuts} times`,
      holds: followed,
    },
  ];
}

/** How many movements of stock come before the order that causes them. */
function causeless(received: readonly Received[]): number {
  let [orders, movements, found] = [0, 0, 0];
  for (const { type } of received) {
    if (type.startsWith('order.') || type.startsWith('order_')) orders++;
    if (type === 'inventory_changed' && ++movements > orders) found++;
  }
  return found;
}

/** Waits until nothing more is published. */
async function untilQuiet(base: string): Promise<void> {
  for (let before = '', now = 'x'; before !== now; ) {
    before = now;
    await sleep(1_500);
    now = (await fetch(`${base}/events?after=now`)).headers.get('link') ?? '';
  }
}

async function allEvents(base: string): Promise<Received[]> {
  const version = '{ version }';
  const query = `query ($after: String) { events(first: 500, after: $after) {
    nodes { id type subject data {
      ... on Pet ${version} ... on Category ${version} ... on Order ${version} ... on InventoryItem ${version}
    } }
    pageInfo { hasNextPage endCursor }
  } }`;
  return walk<Received>(base, query, 'events');
}

/** The versions of all rows with one of their own. */
async function storedVersions(base: string): Promise<ReadonlyMap<string, number>> {
  const of = async (name: string) => {
    const query = `query ($after: String) {
      ${name}(first: 100, after: $after) { nodes { id version } pageInfo { hasNextPage endCursor } }
    }`;
    const rows = await walk<{ id: number; version: number }>(base, query, name);
    return rows.map(({ id, version }) => [`${name}/${id}`, version] as const);
  };
  return new Map((await Promise.all(['pets', 'orders', 'categories'].map(of))).flat());
}

async function walk<Row>(base: string, query: string, name: string): Promise<Row[]> {
  const rows: Row[] = [];
  for (let after: string | undefined, isMore = true; isMore; ) {
    const response = await send('POST', `${base}/graphql`, { query, variables: { after } });
    const { data } = (await response.json()) as {
      data: Record<string, { nodes: Row[]; pageInfo: { hasNextPage: boolean; endCursor: string } }>;
    };
    const page = data[name];
    if (page === undefined) throw new Error(`${name} has no page.`);
    rows.push(...page.nodes);
    isMore = page.pageInfo.hasNextPage;
    after = page.pageInfo.endCursor;
  }
  return rows;
}

function positionOf(id: string): number {
  return Number(id.split('.')[1]);
}
