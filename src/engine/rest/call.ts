import { readJson } from '../http/body.ts';
import type { IncomingRequest } from '../http/incoming.ts';
import { assertMediaType } from '../http/media-type.ts';
import type { Variables } from '../operation/prepared.ts';
import type { AcceptedBodies } from './body.ts';
import { splitPair } from './parameters.ts';
import type { ReplyContext } from './route.ts';

/** Characters that a query must not contain, but clients may send; some would end it, or the URL in a `Link` field. */
const NOT_IN_QUERIES = /[#<>"\\^`{|}]/g;

export class EndpointCall implements ReplyContext {
  readonly request: IncomingRequest;
  /** The values of the path's variables; empty if they are invalid. */
  readonly pathValues: Variables = {};
  readonly #pathError: unknown;

  constructor(
    request: IncomingRequest,
    readPath: (segments: Readonly<Record<string, string>>) => Variables,
    segments: Readonly<Record<string, string>>,
  ) {
    this.request = request;
    try {
      this.pathValues = readPath(segments);
    } catch (error) {
      this.#pathError = error;
    }
  }

  /** @throws {ServiceError} INVALID_ARGUMENT if the path's variables are invalid */
  readPath(): Variables {
    if (this.#pathError !== undefined) throw this.#pathError;
    return this.pathValues;
  }

  address(path: string): string {
    return this.request.base + path;
  }

  nextPage(cursor: string): string {
    const { path, search } = this.request;
    const kept = search.split('&').filter((pair) => pair !== '' && splitPair(pair)[0] !== 'after');
    const query = [...kept, `after=${cursor}`].join('&').replaceAll(NOT_IN_QUERIES, encodeURIComponent);
    return this.address(`${path}?${query}`);
  }

  async readBody({ mediaTypes, headers }: AcceptedBodies): Promise<unknown> {
    const contentType = this.request.headers.get('content-type');
    if (contentType !== null) assertMediaType(contentType, mediaTypes, headers);
    const body = await readJson(this.request);
    if (contentType === null) assertMediaType(null, mediaTypes, headers);
    return body;
  }
}
