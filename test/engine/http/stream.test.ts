import { PassThrough } from 'node:stream';
import { expect, test } from 'vitest';
import { sinkTo } from '../../../src/engine/http/stream.ts';

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
