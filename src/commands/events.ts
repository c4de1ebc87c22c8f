import { parseArgs } from 'node:util';
import { sql } from 'drizzle-orm';
import { eventSourcesOf } from '../engine/application.ts';
import type { Database } from '../engine/db/client.ts';
import { type FeedCursor, toEventId } from '../engine/events/cursor.ts';
import { feedStore } from '../engine/events/feed.ts';
import { subjectOf } from '../engine/events/graphql.ts';
import { RAISE_EPOCH } from '../engine/events/install.ts';
import { eventTypesOf } from '../engine/events/source.ts';
import { type Int64, parseInt64 } from '../engine/int64.ts';
import { stringifyJson } from '../engine/json.ts';
import { webhookStore } from '../engine/webhooks/store.ts';
import { petStoreService } from '../petstore/service.ts';
import { assertAccepted, runCommand } from './run-command.ts';
import { withExistingDatabase } from './with-database.ts';

const USAGE = `npm run events -- tail [--after ID] [--type TYPE]... [--subject SUBJECT]
npm run events -- redeliver WEBHOOK --after ID
npm run events -- epoch`;
const PAGE = 500;
const PAUSE = 500;

const sources = eventSourcesOf(petStoreService);
const types = eventTypesOf(sources).map(({ name }) => name);

runCommand(USAGE, async () => {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: { after: { type: 'string' }, type: { type: 'string', multiple: true }, subject: { type: 'string' } },
  });
  const [command, ...others] = positionals;
  assertAccepted(values, command, { redeliver: ['after'], epoch: [] });
  const unknown = values.type?.find((type) => !types.includes(type));
  if (unknown !== undefined) throw new Error(`${unknown} is not an event type; the types are ${types.join(', ')}.`);
  const wrong = values.subject !== undefined && subjectOf(sources).check(values.subject);
  if (wrong) throw new Error(`--subject ${wrong}.`);
  if (command === 'tail' && others.length === 0)
    await withExistingDatabase((database, { EVENTS }) => tail(database, EVENTS === 'on', values));
  else if (command === 'redeliver' && others.length === 1 && values.after !== undefined) {
    const [id, after] = [parseInt64(others[0] as string), values.after];
    if (id === undefined) throw new Error(`${others[0]} is not the id of a webhook.`);
    await withExistingDatabase((database) => redeliver(database, id, after));
  } else if (command === 'epoch' && others.length === 0) await withExistingDatabase(raiseEpoch);
  else throw new Error(USAGE);
}, ['--type']);

/** Prints events as they come, one per line, until the command or the reader of its output ends. */
async function tail(
  database: Database,
  isOn: boolean,
  { after = 'now', type, subject }: { readonly after?: string; readonly type?: string[]; readonly subject?: string },
): Promise<void> {
  const feed = feedStore(database, sources, { name: `/${petStoreService.name}`, isOn });
  const filter = { types: type, subject };
  const end = new AbortController();
  process.stdout.on('error', (error) => end.abort(error));
  let page = await feed.page(after, filter, PAGE);
  for (; !end.signal.aborted; page = await feed.pageAfter(page.next, filter, PAGE)) {
    for (const { id, type: what, subject: row, time, data } of page.events) {
      const { __typename, ...fields } = data;
      process.stdout.write(`${stringifyJson({ id, type: what, subject: row, time, data: fields })}\n`);
    }
    if (!page.hasMore) await new Promise((resolve) => setTimeout(resolve, PAUSE));
  }
  if (end.signal.reason.code !== 'EPIPE') throw end.signal.reason;
}

/** Asks the service to send the events after one to a webhook again, in order. */
async function redeliver(database: Database, id: Int64, after: string): Promise<void> {
  const store = webhookStore(database, { isOn: true, reach: 'public', clock: Date.now });
  const { url, enabled, pausedUntil } = await store.redeliver(id, after);
  const isPaused = pausedUntil !== null && pausedUntil > new Date();
  const when = !enabled ? ' once it is enabled' : isPaused ? `, from ${pausedUntil.toISOString()}` : '';
  process.stdout.write(`The events after ${after} are delivered to ${url} again${when}.\n`);
}

/** Makes all cursors of clients invalid: after a backup is restored, the positions that they have are reused. */
async function raiseEpoch(database: Database): Promise<void> {
  const raise = database.statement('events.raiseEpoch', 'write', sql`${sql.raw(RAISE_EPOCH)} returning epoch, last`, {
    epoch: Number,
    position: Number,
  });
  const [raised] = (await raise()) as [FeedCursor];
  process.stdout.write(
    `The epoch is ${raised.epoch} now. Clients that resume get 410, and start again; new events come after ${toEventId(raised)}.\n`,
  );
}
