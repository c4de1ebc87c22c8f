import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { AUDIENCE, ISSUER, type Issuer, startIssuer } from '../service/access/issuer.ts';
import { startPostgresServer } from '../support/postgres-server.ts';
import { runToEnd, type Service, startService } from '../support/service.ts';
import { makeWallClock, type WallClock } from '../support/wall-clock.ts';
import { type Finding, NotHere, type Scenario, seconds, tally } from './finding.ts';
import { type Ask, send, startLoad } from './load.ts';
import { databaseOf, outcomeOf } from './outage.ts';
import { watchHealth } from './shop.ts';

const HOUR = 3_600;
const CLIENTS = 4;
const PAUSE = 100;
/** The rate limit: units, and seconds of the window. */
const UNITS = 600;
const WINDOW = 8;
/** The maximum time until processes share their counts, in milliseconds, on a busy machine. */
const SHARED = 1_500;
/** The units for reading the quota. */
const SLACK = 20;

/** The quota of a client at one process. */
interface Quota {
  readonly status: number;
  readonly left: number;
  readonly seconds: number;
}

/** The measurements of one jump. */
interface Jump {
  readonly name: string;
  /** The units left of a quota that was used up before the jump: right after it, and at the other process. */
  readonly after: number;
  readonly elsewhere: number;
  /** The time from the first use of that quota until there were units again, in milliseconds. */
  readonly lockedOut: number;
  /** The units left of a half-used quota: at the process that served the requests, and at all processes. */
  readonly spent: number;
  readonly shared: readonly number[];
  /** Whether a request with a key was replayed byte for byte. */
  readonly isReplayed: boolean;
  /** The status for a token of a key that the issuer has used only since the jump. */
  readonly ofNewKey: number;
}

const clockJumps: Scenario = {
  name: 'the wall clock of a service jumps under load',
  async run({ jumps }) {
    const clock = makeWallClock();
    if (clock === undefined) throw new NotHere('a clock that jumps needs faketime: apt-get install faketime');
    const server = await startPostgresServer();
    const issuer = await startIssuer();
    const services: Service[] = [];
    try {
      const settings = {
        DATABASE_URL: await databaseOf(server),
        AUTH: 'required',
        RATE_LIMIT: `${UNITS}/${WINDOW}s`,
        JWT_JWKS_URL: issuer.url,
        JWT_ISSUER: ISSUER,
        JWT_AUDIENCE: AUDIENCE,
      };
      const start = async (environment = {}) => {
        const service = await startService({ ...settings, ...environment });
        services.push(service);
        return service;
      };
      const [jumping, other] = [await start(clock.environment), await start()];
      const keys = await Promise.all(['load', 'spender', 'setup'].map((name) => makeKey(settings, name)));
      return await findingsOf(
        jumping,
        other,
        () => start(clock.environment),
        clock,
        issuer,
        keys,
        jumps.map((hours) => hours * HOUR),
      );
    } finally {
      await Promise.all(services.map((service) => service.stop('SIGKILL')));
      await Promise.all([server.stop(), issuer.close()]);
      clock.remove();
    }
  },
};

export const clocks: readonly Scenario[] = [clockJumps];

async function findingsOf(
  { base }: Service,
  other: Service,
  startLate: () => Promise<Service>,
  clock: WallClock,
  issuer: Issuer,
  [load = '', spender = '', setup = '']: readonly string[],
  jumps: readonly number[],
): Promise<Finding[]> {
  await send('POST', `${base}/categories`, { name: 'Dogs' }, bearing(setup));
  await send('POST', `${base}/pets`, { name: 'Rex', categoryId: 1 }, bearing(setup));
  const ask: Ask = async (to, n) => {
    const read = () => fetch(`${to}/pets/1`, { headers: bearing(load) });
    const write = () => send('POST', `${to}/pets`, { name: `Pet ${n}`, categoryId: 1 }, bearing(load));
    const token = async () => fetch(`${to}/pets/1`, { headers: bearing(await issuer.token({ jti: randomUUID() })) });
    return { path: '', response: await ([read, write, token][n % 3] as () => Promise<Response>)() };
  };
  const [watch, running] = [watchHealth(base), startLoad(base, CLIENTS, { ask, pause: PAUSE })];
  const seen: Jump[] = [];
  for (const offset of jumps) seen.push(await jump(offset));
  await running.stop();
  await watch.stop();
  const failed = running.samples.filter(({ status }) => status === 0 || status >= 500 || status === 429);
  const gloomy = watch.seen.filter(({ isReady, isLive }) => !isReady || !isLive);
  const show = (measure: (one: Jump) => string | number) =>
    seen.map((one) => `${one.name}: ${measure(one)}`).join(', ');
  return [
    {
      promise: 'no request gets a 500; tokens expire by the clock of the service',
      measured: tally(running.samples.map(outcomeOf)),
      holds: failed.length === 0,
    },
    {
      promise: '/readyz and /livez stay up',
      measured: `${gloomy.length} of ${watch.seen.length} not`,
      holds: gloomy.length === 0,
    },
    {
      promise: 'a caller without units left gets none by a jump, at any process',
      measured: show(({ after, elsewhere }) => `${after}, elsewhere ${elsewhere}`),
      holds: seen.every(({ after, elsewhere }) => after + elsewhere === 0),
    },
    {
      promise: 'processes share the used units, also with one that was started after the jump',
      measured: show(({ spent, shared }) => `${spent}, at all ${shared.join(' ')}`),
      holds: seen.every(({ spent, shared }) => shared.every((left) => left <= spent && left > spent - SLACK)),
    },
    {
      promise: `no caller is locked out for longer than the window of ${WINDOW} s`,
      measured: show(({ lockedOut }) => seconds(lockedOut)),
      holds: seen.every(({ lockedOut }) => lockedOut <= WINDOW * 1_000 + SHARED),
    },
    {
      promise: 'a request with a key is answered with the same bytes',
      measured: show(({ isReplayed }) => (isReplayed ? 'the same' : 'OTHERS')),
      holds: seen.every(({ isReplayed }) => isReplayed),
    },
    {
      promise: `a new key of the issuer from the time of the jump is accepted within the window`,
      measured: show(({ ofNewKey }) => ofNewKey),
      holds: seen.every(({ ofNewKey }) => ofNewKey === 200),
    },
  ];

  async function jump(offset: number): Promise<Jump> {
    const key = { ...bearing(setup), 'idempotency-key': randomUUID() };
    const change = async () => (await send('POST', `${base}/pets`, { name: 'Once', categoryId: 1 }, key)).text();
    const first = await change();
    await untilNewWindow(base, spender);
    const began = await exhaust(base, spender);
    await issuer.rotate();
    clock.jumpTo(offset);
    const { left: after } = await quotaOf(base, spender);
    const replayed = await change();
    const { left: elsewhere } = await afterSharing(other.base, spender);
    const lockedOut = (await untilMore(base, spender)) - began;
    const ofNewKey = await fetch(`${base}/pets`, { headers: bearing(await issuer.token({ exp: farFrom(offset) })) });
    const late = await startLate();
    const all = [base, other.base, late.base];
    await untilNewWindow(base, spender);
    const { left: spent } = await spend(base, spender, UNITS / 2);
    for (let n = 0; n < 2; n++) await Promise.all(all.map((each) => afterSharing(each, spender)));
    const shared = await Promise.all(all.map(async (each) => (await quotaOf(each, spender)).left));
    await late.stop();
    return {
      name: `${offset < 0 ? '' : '+'}${offset / HOUR} h`,
      after,
      elsewhere,
      lockedOut,
      spent,
      shared,
      isReplayed: replayed === first,
      ofNewKey: ofNewKey.status,
    };
  }
}

/** An expiry in the future of both clocks. */
function farFrom(offset: number): number {
  return Math.floor(Date.now() / 1000) + Math.max(0, offset) + HOUR;
}

async function makeKey(settings: Readonly<Record<string, string>>, name: string): Promise<string> {
  const scopes = 'catalogue:write,orders:write,stock:write,read';
  const { output, errors } = await runToEnd('commands/keys', ['create', '--name', name, '--scopes', scopes], settings);
  const [text] = /psk_\S+/.exec(output) ?? [];
  if (text === undefined) throw new Error(`No key was made: ${output}${errors}`);
  return text;
}

function bearing(credential: string): { authorization: string } {
  return { authorization: `Bearer ${credential}` };
}

/** Sends one request, and gives the quota after it. */
async function quotaOf(base: string, key: string, path = '/pets/1'): Promise<Quota> {
  const response = await fetch(base + path, { headers: bearing(key) });
  await response.text();
  const [, left, until] = /r=(\d+);t=(\d+)/.exec(response.headers.get('ratelimit') ?? '') ?? [];
  return { status: response.status, left: Number(left), seconds: Number(until) };
}

/** The quota after processes have shared their counts: they read the others' when they store their own. */
async function afterSharing(base: string, key: string): Promise<Quota> {
  await quotaOf(base, key);
  await sleep(SHARED);
  return quotaOf(base, key);
}

/** Waits for the start of a window. */
async function untilNewWindow(base: string, key: string): Promise<void> {
  while ((await quotaOf(base, key)).seconds < WINDOW) await sleep(100);
}

/** Uses that many units, and gives the quota after it. */
async function spend(base: string, key: string, units: number): Promise<Quota> {
  let last = await quotaOf(base, key);
  const goal = last.left - units;
  while (last.left > goal) last = await quotaOf(base, key, '/pets?limit=100');
  return last;
}

/** Uses up all units, and gives the time at which it started. */
async function exhaust(base: string, key: string): Promise<number> {
  const began = performance.now();
  while ((await quotaOf(base, key, '/pets?limit=100')).status !== 429);
  while ((await quotaOf(base, key)).status !== 429);
  return began;
}

/** Waits until there are units again, and gives the time. */
async function untilMore(base: string, key: string): Promise<number> {
  while ((await quotaOf(base, key)).status === 429) await sleep(50);
  return performance.now();
}
