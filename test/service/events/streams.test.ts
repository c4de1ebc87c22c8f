import { once } from 'node:events';
import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { EventSource } from 'eventsource';
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest';
import { administer } from '../../support/admin.ts';
import { startTestApp } from '../../support/app.ts';
import { isWhole } from '../../support/cases.ts';
import { copyTestDatabase, type DatabaseCopy, hasCommonTests } from '../../support/database.ts';
import { serveHere } from '../../support/serve-here.ts';
import { settingsFor } from '../../support/service.ts';
import { eventsIn, openStream, type StreamEvent } from './open-stream.ts';

let copy: DatabaseCopy;
let service: Awaited<ReturnType<typeof serveHere>>;

beforeAll(async () => {
  copy = await copyTestDatabase();
  service = await serveHere(settingsFor(copy.location));
});
afterAll(async () => {
  await service?.stop({ isReplaced: false });
  await copy?.dispose();
});

const open = (path: string, headers = {}) => openStream(service.base + path, headers);

async function post(path: string, body: unknown): Promise<{ id: number }> {
  const response = await fetch(service.base + path, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  if (!response.ok) throw new Error(await response.text());
  return response.json();
}

const newCategory = (name = 'Dogs') => post('/categories', { name });

describe('a stream of events', () => {
  test('has each event as it comes, in the form of the page', async () => {
    const stream = await open('/events?after=now');
    expect(stream.status).toBe(200);
    expect(stream.headers).toMatchObject({
      'content-type': 'text/event-stream',
      'cache-control': 'no-store',
      'x-accel-buffering': 'no',
      'api-stability': 'beta',
    });
    expect(stream.headers['content-length']).toBeUndefined();
    const { id } = await newCategory();
    await stream.until((text) => text.includes(`categories/${id}"`));
    const event = stream.events().find(({ data }) => data.data.id === id) as StreamEvent;
    const page = await (await fetch(`${service.base}/events?subject=categories/${id}`)).json();
    expect([event.id, event.event, event.data]).toEqual([page[0].id, 'category.created', page[0]]);
    expect(stream.text()).toMatch(/^retry: 3000\n\n/);
    stream.cut();
  });

  test('is asked for in capital letters, too: media types are case-insensitive (RFC 9110, section 8.3.1)', async () => {
    const stream = await open('/events?after=now', { accept: 'Text/Event-Stream' });
    expect([stream.status, stream.headers['content-type']]).toEqual([200, 'text/event-stream']);
    stream.cut();
  });

  test('begins where the client says, first by Last-Event-ID, then by after', async () => {
    const ids: number[] = [];
    const watching = await open('/events?after=now');
    for (let n = 0; n < 3; n++) ids.push((await newCategory()).id);
    await watching.until((text) => text.includes(`categories/${ids[2]}"`));
    const events = watching.events();
    watching.cut();
    const resumed = await open('/events?after=now', { 'last-event-id': events[0]?.id ?? '' });
    await resumed.until((text) => text.includes(`categories/${ids[2]}"`));
    expect(resumed.events().slice(0, 2)).toEqual(events.slice(1));
    resumed.cut();
    const after = await open(`/events?after=${events[1]?.id}`);
    await after.until((text) => text.includes(`categories/${ids[2]}"`));
    expect(after.events()[0]).toEqual(events[2]);
    after.cut();
  });

  test('has only the events of the filter', async () => {
    const { id: categoryId } = await newCategory();
    const stream = await open('/events?after=now&type=pet.created&type=pet.deleted');
    const pet = await post('/pets', { name: 'Rex', categoryId });
    const ofPet = await open(`/events?after=now&subject=pets/${pet.id}`);
    await newCategory();
    await post('/pets', { name: 'Max', categoryId });
    await fetch(`${service.base}/pets/${pet.id}`, { method: 'DELETE' });
    await stream.until((text) => text.includes('pet.deleted'));
    expect(stream.events().map(({ event }) => event)).toEqual(['pet.created', 'pet.created', 'pet.deleted']);
    await ofPet.until((text) => text.includes('pet.deleted'));
    expect([...new Set(ofPet.events().map(({ data }) => data.data.id))]).toEqual([pet.id]);
    for (const one of [stream, ofPet]) one.cut();
  });

  test.each([
    ['after=x', {}, 400],
    ['after=7.1', {}, 410],
    ['', { 'last-event-id': '7.1' }, 410],
    ['type=pet.eaten', {}, 400],
    ['limit=5', {}, 400],
    ['wait=5', {}, 400],
  ])('is rejected with the Error object: %s %o', async (query, headers, status) => {
    const stream = await open(`/events?${query}`, headers as Record<string, string>);
    await stream.ended;
    expect(stream.status).toBe(status);
    expect(JSON.parse(stream.text())).toMatchObject({ status });
  });

  test.each(['x', ''])('is rejected with the name of the field, for the Last-Event-ID %j', async (id) => {
    const stream = await open('/events?after=now', { 'last-event-id': id });
    await stream.ended;
    const message = 'Last-Event-ID must be the id of an event, such as 1.204, or now.';
    expect([stream.status, JSON.parse(stream.text()).message]).toEqual([400, message]);
  });

  test('answers HEAD without a stream, and HTTP/1.0 without chunks', async () => {
    const { hostname, port } = new URL(service.base);
    const send = async (head: string) => {
      const socket = connect(Number(port), hostname);
      let text = '';
      socket.on('data', (chunk) => {
        text += chunk;
      });
      socket.write(`${head}\r\nHost: x\r\nAccept: text/event-stream\r\n\r\n`);
      await sleep(500);
      socket.destroy();
      return text;
    };
    const head = await send('HEAD /events?after=now HTTP/1.1');
    expect(head).toMatch(/^HTTP\/1\.1 200 OK[\s\S]*text\/event-stream[\s\S]*\r\n\r\n$/);
    const old = await send('GET /events?after=now HTTP/1.0');
    expect(old).toMatch(/^HTTP\/1\.1 200 OK[\s\S]*\r\n\r\nretry: 3000\n\nid: 1\.\d+\n\n$/);
    expect(old.toLowerCase()).toMatch(/connection: close/);
    expect(old.toLowerCase()).not.toMatch(/transfer-encoding/);
    expect(await send('GET /events?after=now HTTP/1.1\r\nConnection: close')).toMatch(/connection: close/i);
  });

  test('resumes by itself in EventSource, with every event once', async () => {
    const seen: string[] = [];
    const source = new EventSource(`${service.base}/events?after=now`, {
      fetch: (url, init) => fetch(url, { ...init, headers: { ...init?.headers, connection: 'close' } }),
    });
    source.addEventListener('category.created', ({ lastEventId }) => seen.push(lastEventId));
    await once(source as never, 'open');
    const ids = [];
    for (let n = 0; n < 5; n++) ids.push((await newCategory()).id);
    for (let waited = 0; seen.length < 5 && waited < 5_000; waited += 20) await sleep(20);
    source.close();
    expect(seen).toHaveLength(5);
    expect(new Set(seen).size).toBe(5);
  });

  test('says where it begins, so that a client that is cut before its first event misses none', async () => {
    const stream = await open('/events?type=category.created');
    await stream.until((text) => text.includes('id: '));
    stream.cut();
    const { id } = await newCategory();
    const [, place = ''] = /^id: (.+)$/m.exec(stream.text()) ?? [];
    const resumed = await open('/events?type=category.created', { 'last-event-id': place });
    await resumed.until((text) => text.includes(`categories/${id}"`));
    resumed.cut();
  });

  const cut = isWhole ? 100 : 40;
  test(`cut ${cut} times at random places under load, and resumed, has every event once and in order`, async () => {
    let isWriting = true;
    const made: number[] = [];
    const writing = Promise.all(
      Array.from({ length: 4 }, async () => {
        while (isWriting) made.push((await newCategory('Load')).id);
      }),
    );
    const first = await open('/events?after=now');
    await first.until((text) => eventsIn(text).length > 0);
    let last = (first.events()[0] as StreamEvent).id;
    first.cut();
    const seen: StreamEvent[] = [];
    for (let cuts = 0; cuts < cut; cuts++) {
      const stream = await open('/events', { 'last-event-id': last });
      const length = 1 + Math.floor(Math.random() * 20_000);
      const until = performance.now() + 100;
      while (stream.text().length < length && performance.now() < until) await sleep(1);
      stream.cut();
      const events = stream.events();
      seen.push(...events);
      last = events.at(-1)?.id ?? last;
    }
    isWriting = false;
    await writing;
    const rest = await open('/events', { 'last-event-id': last });
    await rest.until((text) => text.includes(`categories/${Math.max(...made)}"`));
    rest.cut();
    seen.push(...rest.events());
    const positions = seen.map(({ id }) => Number(id.split('.')[1]));
    const gaps = positions.flatMap((position, n) =>
      n === 0 || position === (positions[n - 1] as number) + 1 ? [] : [[positions[n - 1], position]],
    );
    expect(gaps).toEqual([]);
    const received = new Set(seen.map(({ data }) => data.data.id));
    const early = Number(seen[0]?.data.data.id);
    expect(made.filter((id) => id > early + 20 && !received.has(id))).toEqual([]);
    expect(seen.length).toBeGreaterThan(100);
  });
});

describe('limits of streams', () => {
  if (hasCommonTests) {
    test('a client that does not read is closed, and can resume', async () => {
      vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
      onTestFinished(() => void vi.useRealTimers());
      const { hostname, port } = new URL(service.base);
      const socket = connect(Number(port), hostname).pause();
      socket.on('error', () => {});
      socket.write('GET /events?after=now HTTP/1.1\r\nHost: x\r\nAccept: text/event-stream\r\n\r\n');
      await expect.poll(streams).toBe(1);
      const closed = once(socket, 'close');
      // The system takes some megabytes before any is unread.
      const insert = `insert into categories (name, description)
        select 'Long', repeat('x', 2000) from generate_series(1, 5000)`;
      await administer(copy.location.url ?? '', insert);
      // It is given 15 seconds to read: here, a moment each time.
      const hasEnded = async () => {
        vi.advanceTimersByTime(15_000);
        return streams();
      };
      await expect.poll(hasEnded, { interval: 500 }).toBe(0);
      socket.resume();
      await closed;
    });

    test('a caller has a tenth of MAX_STREAMS, and long polls count too', async () => {
      const app = await startTestApp({ MAX_STREAMS: 20 });
      const ask = (query: string, accept = 'application/json') =>
        app.fetch(new Request(`http://pets.example/events?${query}`, { headers: { accept } }));
      const stream = () => ask('after=now', 'text/event-stream');
      try {
        const one = await stream();
        const waiting = ask('after=now&wait=2&type=pet.deleted');
        await sleep(300);
        const third = await stream();
        const { code } = (await third.json()) as { code: string };
        expect([third.status, third.headers.get('retry-after'), code]).toEqual([429, '5', 'RATE_LIMITED']);
        expect((await ask('after=now&wait=1')).status).toBe(429);
        expect((await ask('limit=1')).status).toBe(200);
        await waiting;
        await one.body?.cancel();
        const next = await stream();
        expect(next.status).toBe(200);
        await next.body?.cancel();
      } finally {
        await app.dispose();
      }
    });

    test('a long poll whose client has gone soon leaves its place to others', async () => {
      const client = new AbortController();
      const path = `${service.base}/events?after=now&wait=20&type=pet.deleted`;
      const waiting = fetch(path, { signal: client.signal }).catch(() => {});
      await expect.poll(streams).toBe(1);
      client.abort();
      await waiting;
      await expect.poll(streams).toBe(0);
    });
  }

  test('when the process stops, streams end soon, and say when to come back', async () => {
    const stream = await open('/events?after=now');
    const waiting = fetch(`${service.base}/events?after=now&wait=20&type=pet.deleted`).then((response) =>
      response.json(),
    );
    await sleep(300);
    const started = performance.now();
    const stopped = service.stop({ isReplaced: false });
    await stream.ended;
    expect(stream.text()).toMatch(/^retry: 3000\n\n(?:[\s\S]*\n\n)?retry: \d{1,4}\n\n$/);
    expect(await waiting).toEqual([]);
    await stopped;
    expect(performance.now() - started).toBeLessThan(5_000);
  });
});

/** How many streams there are. */
async function streams(): Promise<number> {
  const text = await (await fetch(`${service.base}/metrics`)).text();
  return Number(/^event_streams (\d+)$/m.exec(text)?.[1]);
}
