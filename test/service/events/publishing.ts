import { afterAll, beforeAll, expect } from 'vitest';
import type { Query } from '../../../src/engine/db/driver.ts';
import { createSequencer } from '../../../src/engine/events/sequencer.ts';
import { openTestDatabase, type TestDatabase } from '../../support/database.ts';

/** Opens a database for the tests of a file, whose events nobody publishes; changes it, and publishes them. */
export function publishing() {
  let opened: TestDatabase;
  const database = () => opened.database;
  beforeAll(async () => {
    opened = await openTestDatabase();
  });
  afterAll(() => opened.dispose());
  return { database, query, category, endOfFeed, publish, eventsAfter };

  function query(text: string, parameters: Parameters<Query>[1] = []): ReturnType<Query> {
    return database().transaction((run) => run(text, parameters));
  }

  async function category(): Promise<string> {
    const [[id] = []] = await query("insert into categories (name) values ('Dogs') returning id");
    return String(id);
  }

  /** The position of the last event when all changes until now are published. */
  async function endOfFeed(): Promise<string> {
    await publish();
    const [[last] = []] = await query('select last from feed');
    return String(last);
  }

  /** Publishes as a process does that stops. */
  async function publish(): Promise<void> {
    const fail = (error: unknown) => {
      throw error;
    };
    await createSequencer(database(), {
      retention: 60,
      onPublished: () => {},
      onFailure: fail,
      onDeletionFailure: fail,
    }).end();
  }

  async function eventsAfter(position: string) {
    const rows = await query(
      'select position, type, time::text, subject, data::text, correlation from events where position > $1 order by position',
      [position],
    );
    expect(rows.map(([at]) => Number(at) - Number(position))).toEqual(rows.map((_, n) => n + 1));
    return rows.map(([, type, time, subject, data, correlation]) => ({
      type: String(type),
      time,
      subject,
      data: JSON.parse(String(data)),
      correlation,
    }));
  }
}
