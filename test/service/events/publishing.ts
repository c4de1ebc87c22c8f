import { expect } from 'vitest';
import type { Query } from '../../../src/engine/db/driver.ts';
import { createSequencer } from '../../../src/engine/events/sequencer.ts';
import type { TestDatabase } from '../../support/database.ts';

/** Changes a database whose events nobody publishes, and publishes them. */
export function publishing(opened: () => TestDatabase) {
  return { query, category, endOfFeed, publish, eventsAfter };

  function query(text: string, parameters: Parameters<Query>[1] = []): ReturnType<Query> {
    return opened().database.transaction((run) => run(text, parameters));
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
    await createSequencer(opened().database, { retention: 60, onPublished: () => {}, onFailure: fail }).end();
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
