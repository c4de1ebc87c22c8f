import type { Logger } from 'pino';
import type { Database } from '../db/client.ts';
import { ServiceError } from '../errors.ts';
import { failureLog } from '../failure-log.ts';
import { stringifyJson } from '../json.ts';
import type { RequestMetrics } from '../metrics.ts';
import type { StreamOpener } from '../rest/adapter.ts';
import type { Endpoint } from '../rest/compile.ts';
import type { Context } from '../schema/context.ts';
import { resumedAt } from './cursor.ts';
import type { StreamFormat } from './event-stream.ts';
import { type FeedEvent, feedStore } from './feed.ts';
import { createSequencer } from './sequencer.ts';
import { type EventSource, enumNameOf, eventTypesOf } from './source.ts';
import { createEventStreams } from './streams.ts';

export interface EventSettings {
  readonly EVENTS: 'on' | 'off';
  /** How long events are kept, in seconds. */
  readonly EVENTS_RETENTION: number;
  /** How many streams and long polls there may be. */
  readonly MAX_STREAMS: number;
}

interface EventsOptions {
  readonly database: Database;
  readonly sources: readonly EventSource[];
  readonly name: string;
  readonly settings: EventSettings;
  readonly metrics: Pick<RequestMetrics, 'published' | 'streams'>;
  readonly logger: Logger;
  readonly onPublished: () => void;
  /** Of the feed, which also makes the events of streams; undefined without events. */
  readonly endpoint: Endpoint | undefined;
  /** That of the endpoint's resolvers, which is not complete yet. */
  readonly context: () => Context;
}

export function createEvents({
  database,
  sources,
  name,
  settings,
  metrics,
  logger,
  onPublished,
  endpoint,
  context,
}: EventsOptions) {
  const isOn = settings.EVENTS === 'on' && sources.length > 0;
  const feed = feedStore(database, sources, { name: `/${name}`, isOn });
  const onFailure = failureLog(logger, 'events could not be read; the next attempt follows');
  const streams = createEventStreams({ feed, max: settings.MAX_STREAMS, onCount: metrics.streams, onFailure });
  const sequencer = isOn
    ? createSequencer(database, {
        retention: settings.EVENTS_RETENTION,
        onPublished(count, lag) {
          metrics.published(count, lag);
          if (count === 0) return;
          streams.wake();
          onPublished();
        },
        onFailure: failureLog(logger, 'events could not be published yet; the next attempt includes them'),
        onDeletionFailure: failureLog(logger, 'old events could not be deleted yet'),
      })
    : undefined;
  /** The events as the page returns them, each as JSON. */
  const bodiesOf = async (list: readonly FeedEvent[]): Promise<readonly string[]> => {
    const given = { ...feed, page: async () => ({ events: list, next: { epoch: 0, position: 0 }, hasMore: false }) };
    const { prepared, toAnswer } = endpoint as Endpoint;
    const result = await prepared.run({}, { ...context(), events: given });
    const { body } = toAnswer(result, {}, NO_ADDRESSES);
    return (body as unknown[]).map(stringifyJson);
  };
  const format: StreamFormat = {
    key: 'page',
    hasIds: true,
    async serializeAll(list) {
      const bodies = await bodiesOf(list);
      return list.map(({ id, type }, n) => `id: ${id}\nevent: ${type}\ndata: ${bodies[n]}\n\n`);
    },
    rejection: ({ message }) => `: ${message}\n\n`,
  };
  const typeNames = new Map(eventTypesOf(sources).map((type) => [enumNameOf(type), type.name]));
  return {
    context: { events: feed, streams },
    bodiesOf,
    begin: () => sequencer?.begin(),
    wake: () => sequencer?.wake(),
    endStreams: streams.end,
    end: async () => sequencer?.end(),
    open: streams.open,

    /** Opens a stream for a request to the endpoint of the feed. */
    openStream: (async ({ after, type, subject, limit, wait }, { headers, meter }, recheck) => {
      if (limit !== undefined || wait !== undefined) {
        throw new ServiceError('INVALID_ARGUMENT', 'limit and wait are for pages: a stream has no end.');
      }
      const types = (type as readonly string[] | undefined)?.map((one) => typeNames.get(one) as string);
      return streams.open(resumedAt(headers, after as string | undefined), {
        format,
        filter: { types, subject: subject as string | undefined },
        account: meter.account,
        recheck,
      });
    }) satisfies StreamOpener,
  };
}

/** A stream has no links. */
const NO_ADDRESSES = { address: () => '', nextPage: () => '' };
