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
  parsers: readonly ((text: string) => unknown)[];
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
    // A failure shows in other statements too.
    dispose: ({ name }) => void exchange([serialize.close({ type: 'S', name })], () => {}).catch(() => {}),
  });

  /** Sends the messages. When it returns, all replies have been passed on; its promise rejects if PGlite itself fails. */
  function exchange(sent: readonly Uint8Array[], onReply: (reply: messages.BackendMessage) => void): Promise<void> {
    const parser = new Parser();
    return database.execProtocolRawStream(Buffer.concat([...sent, SYNC]), {
      syncToFs: false,
      // Otherwise PGlite parses the replies, too, and keeps them for ever. The bytes are a view of its memory.
      onRawData: (bytes) => parser.parse(bytes.slice(), onReply),
    });
  }

  return async (text, parameters) => {
    if (database.closed) throw new Error('The database is closed.');
    const known = prepared.get(text);
    const statement = known ?? { name: `s${++count}`, parsers: [] };
    if (known === undefined) prepared.set(text, statement);
    let isPrepared = known !== undefined;
    const { name } = statement;
    const preparing = isPrepared ? [] : [serialize.parse({ text, name }), serialize.describe({ type: 'S', name })];
    const values = parameters.map((value) => (value === null ? null : String(value)));
    const rows: RawRow[] = [];
    let command = '';
    let error: messages.DatabaseError | undefined;
    const ended = exchange([...preparing, serialize.bind({ statement: name, values }), EXECUTE], (reply) => {
      if (reply instanceof messages.DataRowMessage)
        rows.push(reply.fields.map((field, n) => (field === null ? null : statement.parsers[n]?.(field))));
      else if (reply instanceof messages.CommandCompleteMessage) [command = ''] = reply.text.split(' ');
      else if (reply instanceof messages.RowDescriptionMessage)
        statement.parsers = reply.fields.map(({ dataTypeID }) => database.parsers[dataTypeID] ?? String);
      else if (reply instanceof messages.DatabaseError) error = reply;
      else if (reply.name === 'parseComplete') isPrepared = true;
    });
    if (!isPrepared) prepared.delete(text);
    await ended;
    if (error !== undefined) throw failureOf(error as ReportedError);
    return { rows, command };
  };
}
