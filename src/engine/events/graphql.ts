import { isPermanent, ServiceError } from '../errors.ts';
import { beta } from '../lifecycle/annotation.ts';
import type { WaitFor } from '../operation/prepare.ts';
import { type Bounds, cursor, integerFrom, text } from '../schema/bounds.ts';
import type { Builder, Types } from '../schema/builder.ts';
import { NOW, readEventId, toEventId } from './cursor.ts';
import type { EventFilter, EventRow, FeedEvent, FeedPage, FeedStore } from './feed.ts';
import { assertDistinct, type EventSource, enumNameOf, eventTypesOf } from './source.ts';
import type { EventStreams } from './streams.ts';

declare module '../schema/context.ts' {
  interface Context {
    readonly events: FeedStore;
    readonly streams: Pick<EventStreams, 'wait'>;
    readonly event?: FeedEvent;
    /** The event where the feed ended when a field began to wait for those from `now` on, by its key in the response. */
    readonly feedEnds?: ReadonlyMap<string | number, string | undefined>;
  }
}

export const DEFAULT_PAGE_EVENTS = 100;
const MAX_PAGE_EVENTS = 500;
/** How long a page may wait for its first event, in seconds. */
const MAX_WAIT = 20;

const waitForEvents: WaitFor = async (fields, { streams }, { meter, isAborted }, characters) => {
  let hasEnded = false;
  // If one field may not wait, the others give back their slots.
  const request = { meter, isAborted: () => hasEnded || isAborted() };
  const waits = [...fields].map(async ([key, { after, types, subject, wait }]) => {
    if (!wait) return [key, undefined] as const;
    const filter = { types, subject } as EventFilter;
    const waited = streams.wait(after as string | undefined, filter, (wait as number) * 1_000, request, characters);
    const end = await waited.catch(leaveToResolver);
    return [key, end && toEventId(end)] as const;
  });
  try {
    return { feedEnds: new Map(await Promise.all(waits)) };
  } finally {
    hasEnded = true;
  }
};

/** A wrong cursor is an error of the field, with or without a wait. */
function leaveToResolver(error: unknown): undefined {
  if (!(error instanceof ServiceError) || !isPermanent(error)) throw error;
}

function assertCursor({ after }: { readonly after?: string | null | undefined }): void {
  if (after != null && after !== NOW) readEventId(after, 'after');
}

export type EventTypeRef = PothosSchemaTypes.EnumRef<Types, string>;

/** Adds the field `events`, the feed, to the schema; gives the types of events. */
export function addEvents(builder: Builder, sources: readonly EventSource[]): EventTypeRef {
  assertDistinct(sources);
  const EventTypeEnum: EventTypeRef = builder.enumType('EventType', {
    description: 'The type of an event: what has happened.',
    values: Object.fromEntries(
      eventTypesOf(sources).map((type) => {
        const { name, description, lifecycle } = type;
        return [enumNameOf(type), { value: name, description, lifecycle, extensions: { restName: name } }];
      }),
    ),
  });

  const EventData = builder.unionType('EventData', {
    description: 'The row of an event.',
    types: sources.map(({ type }) => type),
    resolveType: (row) => (row as EventRow).__typename,
  });

  const Event = builder.objectRef<FeedEvent>('Event').implement({
    description: 'Something that has happened, as a CloudEvent (CloudEvents 1.0).',
    fields: (t) => ({
      specversion: t.string({
        bounds: text({ min: 1, max: 3 }),
        description: 'The version of CloudEvents.',
        resolve: () => '1.0',
      }),
      id: t.exposeString('id', {
        bounds: text({ min: 1, max: 25 }),
        description: 'Identifies the event, even if it is delivered again. To go on after it, pass it as `after`.',
      }),
      source: t.string({
        bounds: text({ min: 1, max: 100 }),
        description: 'The service that it comes from.',
        resolve: (_, __, { events }) => events.name,
      }),
      type: t.expose('type', { type: EventTypeEnum, description: 'What has happened.' }),
      subject: t.exposeString('subject', {
        bounds: text({ min: 1, max: 100 }),
        description: 'The row to which it has happened: the name of its list, a slash and its id.',
      }),
      time: t.expose('time', { type: 'DateTime', description: 'When it has happened.' }),
      datacontenttype: t.string({
        bounds: text({ min: 1, max: 16 }),
        description: 'The media type of `data`.',
        resolve: () => 'application/json',
      }),
      correlationid: t.exposeString('correlation', {
        nullable: true,
        bounds: text({ min: 1, max: 128 }),
        description:
          'The id of the request that has caused it, as in its `X-Request-Id`; none if the change was made in the database.',
      }),
      data: t.field({
        type: EventData,
        description: 'The row after the change; before it, if it was deleted.',
        resolve: ({ data }) => data,
      }),
    }),
  });

  const FeedPosition = builder.objectRef<FeedPage>('FeedPosition').implement({
    description: 'The position of a page in the feed.',
    fields: (t) => ({
      hasNextPage: t.exposeBoolean('hasMore', { description: 'Whether there were events after this page.' }),
      endCursor: t.string({
        extensions: { bytes: 27 },
        description: 'Where to go on, to pass as `after`, even if the page is empty.',
        resolve: ({ next }) => toEventId(next),
      }),
    }),
  });

  const EventPage = builder.objectRef<FeedPage>('EventPage').implement({
    description: 'A page of the feed.',
    // Its cost is that of a connection: an index has each page of the feed.
    extensions: {
      connection: { scannedList: () => undefined, defaultPageSize: DEFAULT_PAGE_EVENTS, assertWindow: assertCursor },
    },
    fields: (t) => ({
      nodes: t.field({
        type: [Event],
        description: 'The events, in order.',
        resolve: ({ events }) => [...events],
      }),
      pageInfo: t.field({
        type: FeedPosition,
        description: 'Where the page ends.',
        resolve: (page) => page,
      }),
    }),
  });

  const wanted = builder.args((t) => ({
    after: t.string({
      bounds: cursor,
      description:
        'Only events after the one with this id; `now` for those from now on. Without it, a page begins with the first event that is kept, and a stream now.',
    }),
    types: t.field({ type: [EventTypeEnum], description: 'Only events of these types; none if the list is empty.' }),
    subject: t.string({ bounds: subjectOf(sources), description: 'Only events of this row.' }),
  }));

  builder.queryField('events', (t) =>
    t.field({
      type: EventPage,
      lifecycle: beta(),
      extensions: { wait: waitForEvents },
      description:
        'List what has happened, in order. Each committed change appears once, those of a row in the order of its versions, causes before effects.',
      args: {
        first: t.arg.int({
          bounds: integerFrom(1, MAX_PAGE_EVENTS),
          description: `The maximum number of events; ${DEFAULT_PAGE_EVENTS} by default.`,
        }),
        ...wanted,
        wait: t.arg.int({
          bounds: integerFrom(0, MAX_WAIT),
          description: 'If there is no event yet, how many seconds to wait for one.',
        }),
      },
      resolve: (_, { first, after, types, subject }, { events, feedEnds }, { path }) =>
        events.page(feedEnds?.get(path.key) ?? after, { types, subject }, first ?? DEFAULT_PAGE_EVENTS),
    }),
  );

  builder.subscriptionType({ description: 'Events as they happen, by GraphQL over server-sent events.' });
  builder.subscriptionField('events', (t) =>
    t.field({
      type: Event,
      lifecycle: beta(),
      description:
        'What happens, as it happens. Each committed change appears once, those of a row in the order of its versions, causes before effects.',
      args: wanted,
      // The service runs the operation for each event itself: once for all subscribers with the same.
      subscribe: () => {
        throw new Error('Subscriptions run in the service alone.');
      },
      resolve: (_, __, { event }) => event as FeedEvent,
    }),
  );
  return EventTypeEnum;
}

/** A row: the name of a list with events, a slash and an id. A misspelt one would have no events forever. */
export function subjectOf(sources: readonly EventSource[]): Bounds {
  const lists = sources.map(({ list }) => list.name);
  const pattern = `^(${lists.join('|')})/-?[0-9]{1,19}$`;
  const accepts = `a list (${lists.join(', ')}), a slash and an id, such as ${lists[0]}/1`;
  return {
    accepts,
    jsonSchema: { pattern },
    check: (value) => (new RegExp(pattern).test(String(value)) ? undefined : `must be ${accepts}`),
  };
}
