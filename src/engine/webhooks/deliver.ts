import { randomUUID } from 'node:crypto';
import { setImmediate, setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from 'pino';
import type { Database } from '../db/client.ts';
import { toEventId } from '../events/cursor.ts';
import type { FeedEvent, FeedStore } from '../events/feed.ts';
import { failureLog } from '../failure-log.ts';
import type { Int64 } from '../int64.ts';
import type { RequestMetrics } from '../metrics.ts';
import { createRounds } from '../rounds.ts';
import { inTurns, sharesOf } from './fairness.ts';
import { createMaintenance } from './maintenance.ts';
import { type DeliveryResult, deliveryQueue, subjectKey } from './queue.ts';
import { type DeliveryOutcome, outcomeOf } from './schedule.ts';
import type { Attempt, createSender } from './send.ts';
import { signatureHeaders } from './sign.ts';

/** How often it looks for what is due, and for what other processes have published, in milliseconds. */
const INTERVAL = 1_000;
/** The least time between two looks, in milliseconds: what ends meanwhile is stored together. */
const PAUSE = 50;
/** How many requests a process has in progress for a webhook, and for all: a slow receiver must not delay others. */
const MAX_OF_WEBHOOK = 10;
const MAX_RUNNING = 200;
/** How many a webhook can always have, whatever others have. */
const ALWAYS_OF_WEBHOOK = 2;
/** How long a process that stops waits for requests in progress, in milliseconds. */
const LAST_ATTEMPTS = 500;
const DELETED: DeliveryOutcome = {
  outcome: 'failed',
  due: null,
  error: 'The event was deleted before it could be delivered.',
};

interface DelivererOptions {
  readonly feed: Pick<FeedStore, 'read' | 'types'>;
  /** The events as REST returns them, each as JSON. */
  readonly bodiesOf: (events: readonly FeedEvent[]) => Promise<readonly string[]>;
  readonly sender: ReturnType<typeof createSender>;
  /** The name of the service, which it sends as its user agent. */
  readonly name: string;
  /** The time, in milliseconds since the epoch. */
  readonly clock: () => number;
  readonly metrics: Pick<RequestMetrics, 'delivery' | 'undelivered'>;
  readonly logger: Logger;
}

type Due = Awaited<ReturnType<ReturnType<typeof deliveryQueue>['readDue']>>[number];
type OwnedWebhook = Awaited<ReturnType<ReturnType<typeof deliveryQueue>['acquire']>>[number];

/** Sends the events of a subject one by one, those of different subjects concurrently. Processes share the work. */
export function createDeliverer(
  database: Database,
  { feed, bodiesOf, sender, name, clock, metrics, logger }: DelivererOptions,
) {
  const onFailure = failureLog(logger, 'events could not be delivered to webhooks; the next attempt follows');
  const processId = randomUUID();
  const queue = deliveryQueue(database, processId);
  const maintenance = createMaintenance(database, processId, { clock, metrics, logger });
  const rounds = createRounds(() => deliverDue().catch(onFailure), PAUSE);
  /** The requests in progress, and those whose results are not stored yet. */
  const running = new Map<string, { readonly webhookId: Int64; readonly ended: Promise<void> }>();
  let results: (DeliveryResult & { readonly key: string })[] = [];
  const checks = createRounds(() => checkForWebhooks().catch(onFailure));
  let hasBegun = false;
  let isNeeded = false;
  let hasEnded = false;
  let stopping: Promise<void> | undefined;

  return {
    begin(): void {
      hasBegun = true;
      maintenance.begin();
      checks.repeat(INTERVAL);
      checks.wake();
    },

    wake,

    /** Starts no further request, and leaves the webhooks to other processes once those in progress have ended. */
    stop,

    /** Stops, and does not wait for long: a request that is still in progress then is made again elsewhere. */
    async end(): Promise<void> {
      await Promise.race([stop(), sleep(LAST_ATTEMPTS, undefined, { ref: false })]);
      hasEnded = true;
      sender.end();
      await stop();
    },
  };

  function stop(): Promise<void> {
    stopping ??= hasBegun ? finish().catch(onFailure) : Promise.resolve();
    return stopping;
  }

  async function finish(): Promise<void> {
    const maintained = maintenance.end();
    await Promise.all([checks.end(), rounds.end()]);
    const inProgress = [...running.values()];
    if (inProgress.length > 0) await queue.release(inProgress.map(({ webhookId }) => webhookId));
    await Promise.all(inProgress.map(({ ended }) => ended.then(storeResults)));
    await queue.release([]);
    await maintained;
  }

  /** Finds out whether there is anything to deliver to, so that without webhooks, publishing costs nothing more. */
  async function checkForWebhooks(): Promise<void> {
    isNeeded = await queue.hasEnabled();
    wake();
  }

  function wake(): void {
    if (isNeeded || results.length > 0) rounds.wake();
  }

  async function deliverDue(): Promise<void> {
    await storeResults();
    const webhooks = await queue.acquire(now());
    if (webhooks.length === 0) return;
    const [ids, shares] = [webhooks.map(({ id }) => id), sharesOf(webhooks)];
    if (await queue.addDeliveries(ids, shares, now())) rounds.wake();
    const due = await queue.readDue({ ids, ...roomIn(ids, shares), types: feed.types, now: now() });
    for (const [delivery, webhook] of inTurns(due, webhooks)) {
      if (stopping !== undefined) return;
      start(delivery, webhook);
      // Requests are answered in between: they would wait for hundreds of attempts.
      await setImmediate();
    }
  }

  /** How many more requests there can be to each webhook: a few for each, however many others there are. */
  function roomIn(ids: readonly Int64[], shares: readonly number[]) {
    const left = Math.max(0, MAX_RUNNING - running.size);
    const free = ids.map((id, index) => {
      const used = [...running.values()].filter(({ webhookId }) => webhookId === id).length;
      const share = Math.min(left, Math.ceil(MAX_RUNNING * (shares[index] as number)) - used);
      return Math.max(0, Math.min(MAX_OF_WEBHOOK - used, Math.max(share, ALWAYS_OF_WEBHOOK - used)));
    });
    return { free, running: [...running.keys()] };
  }

  function start(delivery: Due, webhook: OwnedWebhook): void {
    const key = subjectKey(delivery);
    const ended = deliver(delivery, webhook)
      .then((settlement) => {
        if (settlement !== undefined) results.push({ ...settlement, key });
      })
      .catch((error) => {
        // Its result could not be stored, so the attempt is repeated.
        running.delete(key);
        onFailure(error);
      })
      .finally(wake);
    running.set(key, { webhookId: delivery.webhookId, ended });
  }

  /** Undefined if the process has stopped meanwhile: then the attempt does not count. */
  async function deliver(delivery: Due, webhook: OwnedWebhook): Promise<DeliveryResult | undefined> {
    const { id, epoch, position, attempts } = delivery;
    const event = delivery.time === null ? undefined : feed.read(delivery);
    const begun = now();
    const attempt = event && (await send(`evt_${epoch}_${position}`, event, webhook));
    const result = attempt ? outcomeOf(attempt, attempts, clock()) : DELETED;
    if (hasEnded) return undefined;
    await actOn(result, delivery, webhook);
    const { outcome, due, error } = result;
    const status = outcome === 'delivered' || outcome === 'failed' ? outcome : 'pending';
    const made = attempt ? { attempts: attempts + 1, at: begun } : { attempts, at: null };
    return { id, status, ...made, due, response: attempt?.status ?? null, error };
  }

  /** Pauses or disables the webhook where the result says so, and counts and logs it. */
  async function actOn({ outcome, error, pausesUntil }: DeliveryOutcome, delivery: Due, { id, url }: OwnedWebhook) {
    const warn = (message: string) => logger.warn({ webhook: id, event: toEventId(delivery), why: error }, message);
    if (pausesUntil !== undefined) await queue.pause(id, url, pausesUntil);
    metrics.delivery(outcome);
    if (outcome === 'failed') warn('an event was given up for a webhook');
    if (outcome === 'disabled' && (await queue.disable(id, url, error ?? '')))
      warn('a webhook was disabled by its receiver');
  }

  async function send(id: string, event: FeedEvent, webhook: OwnedWebhook): Promise<Attempt> {
    const { url, secret, previousSecret } = webhook;
    let body: string | undefined;
    try {
      [body] = await bodiesOf([event]);
    } catch (error) {
      // An event that cannot be sent must not be tried again at once, nor hold up others.
      onFailure(error);
    }
    if (body === undefined) return { status: null, error: 'The service failed to make the request.' };
    const secrets = [secret, previousSecret].filter((one) => one !== null);
    const headers = { 'content-type': 'application/json', 'user-agent': name, ...signatureHeaders(id, body, secrets) };
    return sender.send({ url, headers, body });
  }

  async function storeResults(): Promise<void> {
    if (results.length === 0) return;
    const ended = results;
    results = [];
    try {
      await queue.storeResults(ended, now());
    } catch (error) {
      results = [...ended, ...results];
      throw error;
    }
    // Until then, it would be found again.
    for (const { key } of ended) running.delete(key);
  }

  function now(): Date {
    return new Date(clock());
  }
}
