import { messages, type PGlite, protocol } from '@electric-sql/pglite';
import { LRUCache } from 'lru-cache';
import type { RawRow } from './driver.ts';
import type { Send } from './transact.ts';
import { failureOf, type ReportedError } from './violations.ts';

const { Parser, serialize } = protocol;
const EXECUTE = serialize.execute({});
const SYNC = serialize.sync();
/** The statements that stay prepared: PostgreSQL keeps some 40 KB for each. */
const MAX_PREPARED = 200;

interface Prepared {
  readonly name: string;
  /** The parser of each column of its rows. */
  readonly parsers: readonly ((text: string) => unknown)[];
}

/**
 * Makes the function that sends statements to the embedded database. It prepares each when it first comes, and runs it
 * before it returns, so that no other runs in between.
 *
 * @see {@link https://www.postgresql.org/docs/18/protocol-flow.html#PROTOCOL-FLOW-EXT-QUERY}
 */
export function createSession(database: PGlite): Send {
  let count = 0;
  const prepared = new LRUCache<string, Prepared>({
    max: MAX_PREPARED,
    dispose: ({ name }) => exchange(serialize.close({ type: 'S', name })),
  });

  function prepare(text: string): Prepared {
    const name = `s${++count}`;
    const received = exchange(serialize.parse({ text, name }), serialize.describe({ type: 'S', name }));
    const columns = received.find((message) => message instanceof messages.RowDescriptionMessage)?.fields ?? [];
    const statement = { name, parsers: columns.map(({ dataTypeID }) => database.parsers[dataTypeID] ?? String) };
    prepared.set(text, statement);
    return statement;
  }

  /** Sends the messages; returns those of the database. */
  function exchange(...sent: readonly Uint8Array[]): messages.BackendMessage[] {
    const received: messages.BackendMessage[] = [];
    const bytes = database.execProtocolRawSync(Buffer.concat([...sent, SYNC]));
    new Parser().parse(bytes, (message) => received.push(message));
    const error = received.find((message) => message instanceof messages.DatabaseError);
    if (error !== undefined) throw failureOf(error as ReportedError);
    return received;
  }

  return async (text, parameters) => {
    if (database.closed) throw new Error('The database is closed.');
    const { name, parsers } = prepared.get(text) ?? prepare(text);
    const values = parameters.map((value) => (value === null ? null : String(value)));
    const rows: RawRow[] = [];
    let command = '';
    for (const message of exchange(serialize.bind({ statement: name, values }), EXECUTE)) {
      if (message instanceof messages.DataRowMessage)
        rows.push(message.fields.map((field, n) => (field === null ? null : parsers[n]?.(field))));
      else if (message instanceof messages.CommandCompleteMessage) [command = ''] = message.text.split(' ');
    }
    return { rows, command };
  };
}
