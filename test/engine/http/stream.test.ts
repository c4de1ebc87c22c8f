import { PassThrough } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, onTestFinished, test } from 'vitest';
import { fetchHandler } from '../../../src/engine/http/fetch.ts';
import { type Sink, sinkTo } from '../../../src/engine/http/stream.ts';

test('a stream that is read slowly keeps no listeners of what was read', async () => {
  const stream = new PassThrough({ highWaterMark: 1 });
  const sink = sinkTo(stream);
  for (let n = 0; n < 20; n++) {
    sink.write('text');
    const drained = sink.drained();
    stream.read();
    await drained;
  }
  expect([stream.listenerCount('drain'), stream.listenerCount('close')]).toEqual([0, 0]);
});

test('nobody waits for a reader that has nothing left to read, or has gone', async () => {
  const stream = new PassThrough({ highWaterMark: 1 });
  const sink = sinkTo(stream);
  const ended = () => Promise.race([sink.drained().then(() => true), sleep(1_000)]);
  expect(await ended()).toBe(true);
  sink.write('text');
  const waiting = ended();
  stream.destroy();
  expect(await waiting).toBe(true);
});

test('a reader of a Fetch response can cancel it while it is written', async () => {
  const body = (sink: Sink) => {
    for (let n = 0; n < 200; n++) sink.write('text'.repeat(100));
  };
  const handle = fetchHandler(async () => ({
    status: 200,
    headers: [],
    body,
    encoding: 'utf8',
    caller: '',
  }));
  const errors: unknown[] = [];
  const onError = (error: unknown) => errors.push(error);
  process.once('uncaughtException', onError);
  onTestFinished(() => void process.off('uncaughtException', onError));
  const reader = (await handle(new Request('http://localhost/'))).body?.getReader();
  for (let chunks = 0; chunks < 3; chunks++) await reader?.read();
  await reader?.cancel();
  await new Promise((resolve) => setTimeout(resolve, 20));
  expect(errors).toEqual([]);
});
