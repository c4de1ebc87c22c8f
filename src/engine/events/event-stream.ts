import { ServiceError } from '../errors.ts';
import type { Sink } from '../http/stream.ts';
import { type FeedCursor, toEventId } from './cursor.ts';
import type { EventFilter, FeedEvent, FeedPage } from './feed.ts';

/** After how many milliseconds a client connects again; when a process stops, at random in this time. */
const RETRY = 3_000;
/** How many bytes a client may leave unread; it is closed beyond that, and can resume. */
const MAX_UNREAD = 262_144;

/** How events are told: streams with the same are told the same, which is made once for all of them. */
export interface StreamFormat {
  readonly key: string;
  /** How many events can be told at once; undefined for any number. */
  readonly most?: number;
  /** How much the caller has to wait for its turn; undefined for a format in which callers do not take turns. */
  readonly queue?: () => number;
  /** The text of each event, as a server-sent event. */
  textsOf(events: readonly FeedEvent[]): Promise<readonly string[]>;
  /** Whether its clients resume by the last `id`: then they are also told of places where they want no event. */
  readonly hasIds?: boolean;
  /** The text for a caller that may no longer read. */
  rejection(error: ServiceError): string;
}

export interface StreamRequest {
  readonly format: StreamFormat;
  /** The id of the event that it goes on after; without one, it begins now. */
  readonly cursor: string | null | undefined;
  readonly filter: EventFilter;
  readonly account: string;
  /** Charges the caller for events that it is told together. Throws RATE_LIMITED; undefined if they cost nothing. */
  readonly charge?: (events: number) => void;
  /** Rejects when the caller may no longer read; called every few seconds. */
  readonly recheck: () => Promise<void>;
}

/** A client that is told events. */
export class EventStream {
  readonly #sink: Sink;
  readonly #recheck: StreamRequest['recheck'];
  readonly format: StreamFormat;
  readonly filter: EventFilter;
  readonly account: string;
  readonly charge: StreamRequest['charge'];
  /** What it has been told until; undefined before its first page. */
  #place: FeedCursor | undefined;
  /** Whether it is told nothing more, also if its client still has to read what it was told. */
  hasEnded = false;
  /** The number of batches of published events that it has not been sent yet. */
  waiting = 0;
  /** Whether it has all events until now, and gets the next ones together with all other streams. */
  isLive = false;

  constructor(sink: Sink, { format, filter, account, charge, recheck }: Omit<StreamRequest, 'cursor'>) {
    this.#sink = sink;
    this.#recheck = recheck;
    this.format = format;
    this.filter = filter;
    this.account = account;
    this.charge = charge;
    sink.onEnd(() => {
      this.hasEnded = true;
    });
  }

  /** Whether an event passes its filter. */
  wants({ type, subject }: FeedEvent): boolean {
    const { types, subject: only } = this.filter;
    return (types?.includes(type) ?? true) && (only == null || only === subject);
  }

  begin(): void {
    this.#sink.write(`retry: ${RETRY}\n\n`);
  }

  /**
   * Tells the first events of a page, as many as a client may leave unread.
   *
   * @param texts the events in its format
   * @returns what it was told, and where to go on
   */
  tellPage(page: FeedPage, texts: readonly string[]): FeedPage {
    let [count, bytes] = [0, 0];
    while (count < texts.length && bytes < MAX_UNREAD) bytes += Buffer.byteLength(texts[count++] as string);
    const events = page.events.slice(0, count);
    const last = events.at(-1);
    const told =
      last === undefined || count === texts.length
        ? page
        : { events, next: { ...page.next, position: last.position }, hasMore: true };
    this.tell(events, texts, told.next);
    return told;
  }

  /**
   * Tells the events that it wants and has not been told yet.
   *
   * @param texts the events in its format
   * @param place where the events end
   */
  tell(events: readonly FeedEvent[], texts: readonly string[], place: FeedCursor): void {
    if (this.hasEnded) return;
    const told = this.#place?.position ?? 0;
    let text = '';
    events.forEach((event, n) => {
      if (event.position > told && this.wants(event)) text += texts[n];
    });
    if (place.position >= told) this.#place = place;
    if (text === '') return;
    this.#sink.write(text);
    if (this.isLive && this.#sink.unread() > MAX_UNREAD) this.#sink.end('now');
  }

  drained(): Promise<void> {
    return this.#sink.drained();
  }

  /** Has it get the next events together with all other streams. */
  goLive(): void {
    this.isLive = true;
    const place = this.#placeText();
    if (place !== '') this.#sink.write(`${place}\n`);
  }

  beat(): void {
    this.#sink.write(`:\n${this.#placeText()}\n`);
  }

  /** Ends it if its caller may no longer read; not if that can't be found out at the moment. */
  async check(): Promise<void> {
    try {
      await this.#recheck();
    } catch (error) {
      if (!(error instanceof ServiceError) || error.status >= 500) return;
      this.reject(error);
    }
  }

  /** Ends it, and tells its caller why. */
  reject(error: ServiceError): void {
    this.hasEnded = true;
    this.#sink.write(this.format.rejection(error));
    this.#sink.end('after');
  }

  end(): void {
    this.hasEnded = true;
    this.#sink.write(`retry: ${Math.round(Math.random() * RETRY)}\n\n`);
    this.#sink.end('after');
  }

  /** Has its client resume where it is, although no event that it wants came last. */
  #placeText(): string {
    return this.format.hasIds && this.#place !== undefined ? `id: ${toEventId(this.#place)}\n` : '';
  }
}
