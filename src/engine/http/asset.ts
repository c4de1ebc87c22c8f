import { createHash } from 'node:crypto';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { isKnown } from './etag.ts';
import type { IncomingRequest } from './incoming.ts';
import { acceptsGzip } from './negotiation.ts';
import type { HeaderFields, HttpReply } from './reply.ts';

interface Asset {
  readonly contentType: string;
  /** Called on the first request, and again only if it fails. */
  readonly make: () => string | Promise<string>;
  /** Whether a different text would have a different URL, so that clients never need to revalidate it (RFC 8246). */
  readonly isImmutable?: boolean;
  readonly headers?: (text: string) => HeaderFields;
}

export type ServedAsset = (request: Pick<IncomingRequest, 'headers'>) => Promise<HttpReply>;

/** Answers requests for an asset. It is compressed once, on the first request. */
export function serveAsset(asset: Asset): ServedAsset {
  let preparing: ReturnType<typeof prepare> | undefined;
  return async ({ headers: fields }) => {
    // A failure, such as too many open files, must not last.
    preparing ??= prepare(asset).catch((error) => {
      preparing = undefined;
      throw error;
    });
    const { plain, compressed, headers, etag } = await preparing;
    if (isKnown(etag, fields.get('if-none-match'))) return { status: 304, headers, body: null };
    const full = [...headers, 'content-type', asset.contentType];
    return acceptsGzip(fields.get('accept-encoding'))
      ? { status: 200, headers: [...full, 'content-encoding', 'gzip'], body: compressed }
      : { status: 200, headers: full, body: plain };
  };
}

/** A year, the longest time that caches use. */
const FOR_EVER = 'public, max-age=31536000, immutable';

/** The asset as bytes: a string would be copied for each response, and held until the client has read it. */
async function prepare({ make, isImmutable = false, headers = () => [] }: Asset) {
  const text = await make();
  const plain = new TextEncoder().encode(text);
  const compressed = new Uint8Array(await promisify(gzip)(plain));
  // Weak, because the compressed and the plain bytes share it (RFC 9110, section 8.8.1).
  const etag = `W/"${createHash('sha256').update(plain).digest('base64url')}"`;
  const always = ['etag', etag, 'cache-control', isImmutable ? FOR_EVER : 'no-cache', 'vary', 'Accept-Encoding'];
  return { plain, compressed, etag, headers: [...always, ...headers(text)] };
}
