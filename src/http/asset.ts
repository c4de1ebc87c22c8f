import { createHash } from 'node:crypto';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import type { IncomingRequest } from './incoming.ts';
import { acceptsGzip } from './negotiation.ts';
import type { HeaderFields, HttpReply } from './reply.ts';

/** Text that is the same for all who ask for it. */
export interface Asset {
  readonly contentType: string;
  /** Its text; called once, when it is first asked for. */
  readonly make: () => string | Promise<string>;
  /** More header fields. */
  readonly headers?: HeaderFields;
}

/** Answers a request for an asset. */
export type ServedAsset = (request: IncomingRequest) => Promise<HttpReply>;

/**
 * Answers with an asset. It is compressed once, when it is first asked for, and a browser that has it is told so
 * instead of getting it again (RFC 9110, section 13.1.2).
 */
export function serveAsset({ contentType, make, headers = [] }: Asset): ServedAsset {
  let prepared: Promise<Prepared> | undefined;
  return async (request) => {
    prepared ??= prepare(make);
    const { plain, compressed, etag } = await prepared;
    const always = ['etag', etag, 'cache-control', 'no-cache', 'vary', 'Accept-Encoding', ...headers];
    if (isKnown(etag, request.headers.get('if-none-match'))) return { status: 304, headers: always, body: null };
    const full: HeaderFields = [...always, 'content-type', contentType];
    return acceptsGzip(request.headers.get('accept-encoding'))
      ? { status: 200, headers: [...full, 'content-encoding', 'gzip'], body: compressed }
      : { status: 200, headers: full, body: plain };
  };
}

interface Prepared {
  readonly plain: string;
  readonly compressed: Uint8Array<ArrayBuffer>;
  readonly etag: string;
}

async function prepare(make: Asset['make']): Promise<Prepared> {
  const plain = await make();
  const compressed = new Uint8Array(await promisify(gzip)(plain));
  // Weak, because it stands for the compressed bytes and the plain ones alike (RFC 9110, section 8.8.1).
  return { plain, compressed, etag: `W/"${createHash('sha256').update(plain).digest('base64url')}"` };
}

function isKnown(etag: string, ifNoneMatch: string | null): boolean {
  const known = ifNoneMatch?.split(',').map((tag) => tag.trim().replace(/^(W\/)?/, 'W/')) ?? [];
  return ifNoneMatch === '*' || known.includes(etag);
}
