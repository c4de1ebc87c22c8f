import { type Audit, type AuditResult, serverAudits } from 'graphql-http';
import { pino } from 'pino';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { keyStore } from '../../../src/engine/auth/keys.ts';
import { type Listener, listen } from '../../../src/engine/http/listen.ts';
import { createApp } from '../../../src/engine/service.ts';
import { petStoreService } from '../../../src/petstore/service.ts';
import { accessFrom } from '../../../src/process/access.ts';
import { createMetrics } from '../../../src/process/metrics.ts';
import { readSettings } from '../../../src/process/settings.ts';
import { openTestDatabase, type TestDatabase } from '../../support/database.ts';
import { defaultRules } from '../../support/rules.ts';

type Environment = Readonly<Record<string, string>>;
/** The signature that the suite calls. */
type Fetch = (address: string, init?: RequestInit) => Promise<Response>;

/** The number of audits at the time of writing: an update of the suite may add some, but must lose none. */
const KNOWN_AUDITS = 61;
/** These send variables to a field of introspection and expect data, so they can't pass where it is off. */
const OF_INTROSPECTION = ['28B9', '2EA1', '6A70', 'D6D5'];
const INTROSPECTION = '__type(name: $name) { name }';

const hardened = { NODE_ENV: 'production', AUTH: 'required', INTROSPECTION: 'off', PLAYGROUND: 'off' };

let opened: TestDatabase;
let key: string;

beforeAll(async () => {
  opened = await openTestDatabase();
  key = (await keyStore(opened.database).create('audits', ['read'], null)).text;
});
afterAll(() => opened?.dispose());

describe.each<[string, Environment, Fetch]>([
  ['with no settings', {}, fetch],
  // The audits that need introspection ask for pets there.
  [
    'in production, without introspection and playground, with AUTH=all and a key',
    { ...hardened, AUTH: 'all' },
    askPetsWithKey,
  ],
])('GraphQL over HTTP, by the audits of graphql-http, %s', (_, environment, fetchFn) => {
  const audits = auditsOf(environment, fetchFn);

  test(`there are ${KNOWN_AUDITS} audits at least`, () => {
    expect(audits.length).toBeGreaterThanOrEqual(KNOWN_AUDITS);
  });

  // Each title starts with MUST, SHOULD or MAY; the service passes all of them.
  test.each(audits)('$id: $name', async ({ fn }) => {
    expect(await explain(await fn())).toBe('ok');
  });
});

describe('GraphQL over HTTP without introspection', () => {
  const audits = auditsOf(hardened, fetch);

  test('only the audits that need introspection are rejected, and for that reason', async () => {
    const failed: string[] = [];
    for (const { id, fn } of audits) {
      const explained = await explain(await fn());
      if (explained === 'ok') continue;
      expect(explained).toContain('introspection has been disabled');
      failed.push(id);
    }
    expect(failed.sort()).toEqual(OF_INTROSPECTION);
  });
});

/** The audits of a service with these settings, which runs during the tests of a `describe`. */
function auditsOf(environment: Environment, fetchFn: Fetch): Audit[] {
  let listener: Listener;
  beforeAll(async () => {
    const settings = readSettings({ DATABASE: 'embedded', ...environment });
    const app = createApp({
      application: petStoreService,
      database: opened.database,
      settings,
      access: await accessFrom(settings, opened.database, petStoreService.name),
      rules: defaultRules,
      metrics: createMetrics(),
      logger: pino({ level: 'silent' }),
    });
    listener = await listen(app.listener, { host: '127.0.0.1', port: 0, stall: 40_000 });
  });
  afterAll(() => listener?.drain(0));
  return serverAudits({ url: () => `http://127.0.0.1:${listener.port}/graphql`, fetchFn });
}

/** Sends the same request, with pets in place of a type with a variable. */
function askPets(address: string, init: RequestInit = {}): Promise<Response> {
  const url = new URL(address);
  const asked = url.searchParams.get('query');
  if (asked !== null) url.searchParams.set('query', aboutPets(asked));
  const { body } = init;
  return fetch(url, { ...init, ...(typeof body === 'string' && { body: aboutPets(body) }) });
}

function askPetsWithKey(address: string, init: RequestInit = {}): Promise<Response> {
  const headers = new Headers(init.headers);
  headers.set('authorization', `Bearer ${key}`);
  return askPets(address, { ...init, headers });
}

function aboutPets(text: string): string {
  return text.replace(INTROSPECTION, 'pets(name: $name) { totalCount }');
}

async function explain(result: AuditResult): Promise<string> {
  if (result.status === 'ok') return 'ok';
  return `${result.reason}; answered ${result.response.status} ${await result.response.text()}`;
}
