import { ServiceError } from '../errors.ts';
import type { Sink } from '../http/stream.ts';
import { type FeedCursor, toEventId } from './cursor.ts';
import type { EventFilter, FeedEvent } from './feed.ts';

/** How often an idle stream gets a comment, in milliseconds, so that proxies don't close it. */
const HEARTBEAT = 15_000;
/** How often credentials are checked again, in milliseconds. */
const RECHECK = 2_000;
/** After how many milliseconds a client connects again; when a process stops, after a random part of that. */
const RETRY = 3_000;
/** The maximum number of bytes that a client may leave unread; it is sent no more until it has read them. */
const MAX_UNREAD = 262_144;

/** How events are sent: streams with the same key are sent the same text, which is made once for all of them. */
export interface StreamFormat {
  readonly key: string;
  /** The maximum number of events that can be sent at once; undefined for any number. */
  readonly maxEvents?: number;
  /** How much work of the caller waits or is in progress; undefined for a format whose work is not queued. */
  readonly queueLength?: () => number;
  /** The text of each event, as a server-sent event. */
  serializeAll(events: readonly FeedEvent[]): Promise<readonly string[]>;
  /** Whether its clients resume by the last `id`: then they also get the ids of events that they do not want. */
  readonly hasIds?: boolean;
  /** The text for a stream that `recheck` rejects. */
  rejection(error: ServiceError): string;
}

export interface StreamRequest {
  readonly format: StreamFormat;
  readonly filter: EventFilter;
  readonly account: string;
  /** Charges the caller for events that are sent together. Throws RATE_LIMITED; undefined if they cost nothing. */
  readonly charge?: (events: number) => void;
  /** Rejects when the caller may no longer read, or what it reads is no longer served; called every few seconds. */
  readonly recheck: () => Promise<void>;
}

export class EventStream {
  readonly sink: Sink;
  readonly request: StreamRequest;
  /** After the last event that was sent, or skipped; undefined before its first page. */
  cursor: FeedCursor | undefined;
  /**
   * A live one has all events until now, and gets the next ones together with all others. One that has ended is sent
   * nothing more, even if its client still has to read what was sent.
   */
  state: 'behind' | 'live' | 'ended' = 'behind';
  /** How many bytes its client had not read at the last heartbeat; 0 if it was sent more since then. */
  #unread = 0;

  constructor(sink: Sink, request: StreamRequest) {
    this.sink = sink;
    this.request = request;
    const timers = [
      setInterval(() => this.#beat(), HEARTBEAT).unref(),
      // If the check itself fails, the stream goes on.
      setInterval(() => request.recheck().catch((error) => this.reject(error)), RECHECK).unref(),
    ];
    sink.onEnd(() => {
      this.state = 'ended';
      for (const timer of timers) clearInterval(timer);
    });
    sink.write(`retry: ${RETRY}\n\n`);
  }

  wants({ type, subject }: FeedEvent): boolean {
    const { types, subject: only } = this.request.filter;
    return (types?.includes(type) ?? true) && (only == null || only === subject);
  }

  /**
   * Sends the events up to `end` that it wants and has not been sent yet, as many as its client may leave unread.
   * False if that was too much: then `cursor` is where to go on.
   */
  send(events: readonly FeedEvent[], texts: readonly string[], end: FeedCursor): boolean {
    const sent = this.cursor?.position ?? 0;
    if (this.state === 'ended' || end.position < sent) return true;
    let [text, bytes, cursor] = ['', this.sink.unread(), end];
    for (const [n, event] of events.entries()) {
      if (event.position <= sent || !this.wants(event)) continue;
      if (bytes >= MAX_UNREAD) {
        cursor = { ...end, position: Math.max(events[n - 1]?.position ?? 0, sent) };
        break;
      }
      const own = texts[n] as string;
      text += own;
      bytes += Buffer.byteLength(own);
    }
    this.cursor = cursor;
    if (text !== '') {
      this.sink.write(text);
      this.#unread = 0;
    }
    return cursor === end;
  }

  goLive(): void {
    this.state = 'live';
    const id = this.#cursorText();
    if (id !== '') this.sink.write(`${id}\n`);
  }

  /** Sends a comment; closes the stream if its client has read nothing since the last call, although it could have. */
  #beat(): void {
    const unread = this.sink.unread();
    if (unread === 0) this.sink.write(`:\n${this.#cursorText()}\n`);
    else if (unread === this.#unread) this.sink.end('now');
    this.#unread = unread;
  }

  /** Ends it if the error is of the caller or of a brownout; returns false for any other error. */
  reject(error: unknown): boolean {
    if (!(error instanceof ServiceError) || (error.status >= 500 && error.code !== 'BROWNOUT')) return false;
    this.#end(this.request.format.rejection(error));
    return true;
  }

  end(): void {
    this.#end(`retry: ${Math.round(Math.random() * RETRY)}\n\n`);
  }

  #end(text: string): void {
    this.state = 'ended';
    this.sink.write(text);
    this.sink.end('after');
  }

  /** The `id` from which the client resumes, even after events that it did not ask for. */
  #cursorText(): string {
    return this.request.format.hasIds && this.cursor !== undefined ? `id: ${toEventId(this.cursor)}\n` : '';
  }
}
