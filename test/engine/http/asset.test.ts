import { expect, test } from 'vitest';
import { serveAsset } from '../../../src/engine/http/asset.ts';

test('an asset that could not be made is made again at the next request, and then only once', async () => {
  let attempts = 0;
  const serve = serveAsset({
    contentType: 'text/plain',
    make: async () => {
      if (++attempts === 1) throw new Error('EMFILE: too many open files');
      return 'text';
    },
  });
  const request = { headers: new Headers() };
  await expect(serve(request)).rejects.toThrow('EMFILE');
  expect((await serve(request)).status).toBe(200);
  expect((await serve(request)).status).toBe(200);
  expect(attempts).toBe(2);
});
