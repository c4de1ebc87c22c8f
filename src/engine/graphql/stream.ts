import type { ExecutionResult } from 'graphql';
import type { Logger } from 'pino';
import { resumedAt } from '../events/cursor.ts';
import type { EventFilter, FeedEvent } from '../events/feed.ts';
import type { EventStreams } from '../events/streams.ts';
import { failureLog } from '../failure-log.ts';
import type { IncomingRequest } from '../http/incoming.ts';
import { type HttpReply, type Outcome, withType } from '../http/reply.ts';
import { stringifyJson } from '../json.ts';
import type { ListCosts } from '../limits/units.ts';
import type { PreparedOperation, Variables } from '../operation/prepared.ts';
import { KeyedQueue } from '../queue.ts';
import type { Context } from '../schema/context.ts';
import { forCaller } from './errors.ts';
import type { LifecycleExtension } from './lifecycle.ts';
import { mostSevere, serialize } from './reply.ts';

export interface Subscriptions {
  readonly open: EventStreams['open'];
  readonly context: Context;
  readonly costs: ListCosts;
  readonly logger: Pick<Logger, 'warn'>;
}

interface SubscriptionRequest {
  readonly request: IncomingRequest;
  readonly operation: PreparedOperation;
  readonly variables: Variables;
  readonly mayRead: boolean;
  /** The operation's name and its document. */
  readonly text: string;
  readonly extension: LifecycleExtension;
  readonly recheck: () => Promise<void>;
}

/**
 * Makes the function that opens a subscription's stream (GraphQL over SSE, distinct connections mode).
 *
 * @see https://github.com/enisdenjo/graphql-sse/blob/master/PROTOCOL.md
 */
export function subscriptionOpener({ open, context, costs, logger }: Subscriptions) {
  // A caller's subscriptions run one after another, each for the events of a page.
  const queue = new KeyedQueue();

  return async ({
    request,
    operation,
    variables,
    mayRead,
    text,
    extension,
    recheck,
  }: SubscriptionRequest): Promise<Outcome> => {
    const { account } = request.meter;
    const { after, types, subject } = operation.streamArgs?.(variables) ?? {};
    const onFailure = failureLog(logger, 'what a subscription selects from an event could not be read', {
      requestId: request.id,
    });
    const run = async (event: FeedEvent) => {
      const result = forCaller(await operation.run(variables, { ...context, event }), mayRead);
      const error = mostSevere(result);
      if (error !== undefined && error.status >= 500) onFailure(error.cause);
      return next(result, extension, `id: ${event.id}\n`);
    };
    const reply = await open(resumedAt(request.headers, after as string | undefined), {
      format: {
        key: stringifyJson([text, variables, mayRead, extension.extensions]),
        hasIds: true,
        maxEvents: operation.maxRuns(variables),
        queueLength: () => queue.lengthOf(account),
        serializeAll: (events) => queue.run(account, () => Promise.all(events.map(run))),
        rejection: (error) => next({ errors: [error] }, extension) + COMPLETE,
      },
      filter: { types, subject } as EventFilter,
      account,
      charge: (events) => request.meter.chargePart(operation.cost(variables, costs, events).units),
      recheck,
    });
    return { reply: { ...reply, headers: [...extension.headers, ...reply.headers] }, error: undefined };
  };
}

const COMPLETE = 'event: complete\ndata:\n\n';

function next(result: ExecutionResult, extension: LifecycleExtension, id = ''): string {
  return `${id}event: next\ndata: ${serialize(result, extension)}\n\n`;
}

/** A reply as a stream with one result, for a client that accepts nothing else. */
export function asStream(reply: HttpReply): HttpReply {
  return { ...withType(reply, 'text/event-stream'), body: `event: next\ndata: ${reply.body}\n\n${COMPLETE}` };
}
