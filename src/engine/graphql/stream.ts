import type { ExecutionResult } from 'graphql';
import type { StreamFormat } from '../events/event-stream.ts';
import type { FeedEvent } from '../events/feed.ts';
import type { EventStreams } from '../events/streams.ts';
import { type HttpReply, without } from '../http/reply.ts';
import { stringifyJson } from '../json.ts';
import type { PreparedOperation, Variables } from '../operation/prepared.ts';
import type { Context } from '../schema/context.ts';
import type { Turns } from '../turns.ts';
import { formatError, rejected } from './errors.ts';

/** Opens the streams of subscriptions. */
export interface Subscriptions {
  readonly open: EventStreams['open'];
  readonly context: Context;
}

interface Subscription {
  readonly operation: PreparedOperation;
  readonly variables: Variables;
  /** Subscriptions with the same key are told the same. */
  readonly key: string;
  /** Who pays for it: of each caller, it runs for the events of one page at a time. */
  readonly account: string;
  readonly turns: Turns;
  /** Leaves out of a result what the caller must not read. */
  readonly forCaller: (result: ExecutionResult) => ExecutionResult;
}

/**
 * How a subscription is told events: each is a result of its operation (GraphQL over SSE, distinct connections mode).
 *
 * @see https://github.com/enisdenjo/graphql-sse/blob/master/PROTOCOL.md
 */
export function subscriptionFormat(
  context: Context,
  { operation, variables, key, account, turns, forCaller }: Subscription,
): StreamFormat {
  const run = async (event: FeedEvent) => {
    const result = forCaller(await operation.run(variables, { ...context, event }));
    return next(result, `id: ${event.id}\n`);
  };
  return {
    key,
    hasIds: true,
    most: operation.maxRuns(variables),
    queue: () => turns.lengthOf(account),
    textsOf: (events) => turns.take(account, () => Promise.all(events.map(run))),
    rejection: (error) => next({ errors: [rejected(error)] }) + COMPLETE,
  };
}

const COMPLETE = 'event: complete\ndata:\n\n';

function next({ data, errors }: ExecutionResult, id = ''): string {
  const text = stringifyJson({ ...(errors && { errors: errors.map(formatError) }), data });
  return `${id}event: next\ndata: ${text}\n\n`;
}

/** A reply as a stream with one result, for a client that accepts nothing else. */
export function asStream(reply: HttpReply): HttpReply {
  return {
    status: 200,
    headers: [...without(reply.headers, 'content-type'), 'content-type', 'text/event-stream'],
    body: `event: next\ndata: ${reply.body}\n\n${COMPLETE}`,
  };
}
