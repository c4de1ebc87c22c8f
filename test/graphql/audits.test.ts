import { type AuditResult, serverAudits } from 'graphql-http';
import { pino } from 'pino';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createApp } from '../../src/app.ts';
import { OPEN_ACCESS } from '../../src/auth/access.ts';
import { type Listener, listen } from '../../src/http/listen.ts';
import { createMetrics } from '../../src/metrics.ts';
import { openTestDatabase, type TestDatabase } from '../support/database.ts';
import { usualRules, usualSettings } from '../support/rules.ts';

/** How many there were when this was written: an update of the suite may add some, but must not lose any. */
const KNOWN_AUDITS = 61;

let opened: TestDatabase;
let listener: Listener;

const audits = serverAudits({ url: () => `http://127.0.0.1:${listener.port}/graphql` });

beforeAll(async () => {
  opened = await openTestDatabase();
  const app = createApp({
    database: opened.database,
    settings: usualSettings,
    access: OPEN_ACCESS,
    rules: usualRules,
    metrics: createMetrics(),
    logger: pino({ level: 'silent' }),
  });
  listener = await listen(app.listener, { host: '127.0.0.1', port: 0 });
});
afterAll(async () => {
  await listener?.drain(0);
  await opened?.dispose();
});

describe('GraphQL over HTTP, by the audits of graphql-http', () => {
  test(`there are ${KNOWN_AUDITS} audits at least`, () => {
    expect(audits.length).toBeGreaterThanOrEqual(KNOWN_AUDITS);
  });

  // The suite tells what it asks with MUST, SHOULD or MAY at the beginning; we hold to every one of them.
  test.each(audits)('$id: $name', async ({ fn }) => {
    expect(await explain(await fn())).toBe('ok');
  });
});

async function explain(result: AuditResult): Promise<string> {
  if (result.status === 'ok') return 'ok';
  return `${result.reason}; answered ${result.response.status} ${await result.response.text()}`;
}
