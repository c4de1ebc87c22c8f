import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { generateKeyPair, SignJWT } from 'jose';
import { AUDIENCE, ISSUER, type Issuer, startIssuer } from '../service/access/issuer.ts';
import { startPostgresServer } from '../support/postgres-server.ts';
import { type Service, startService } from '../support/service.ts';
import { type Finding, type Scenario, seconds, tally } from './finding.ts';
import { type Ask, type Sample, startLoad } from './load.ts';
import { databaseOf, outcomeOf } from './outage.ts';

const CLIENTS = 6;
/** Other clients with tokens of unknown keys: their number, and the time between their requests in milliseconds. */
const STRANGERS = 4;
const STRANGERS_PAUSE = 25;
/** The time between two rotations, in milliseconds: out of step with the pace of key requests. */
const BETWEEN = 8_300;
/** In milliseconds: the maximum time until tokens of a new key are accepted, and between two key requests. */
const KNOWN_WITHIN = 6_000;
const ASKED_EVERY = 5_000;
const ASKED_AGAIN = 1_000;
/** The age of a token from before the last read of the keys, in seconds. */
const LONG_AGO = 60;
/** How long the issuer fails, in milliseconds. */
const FAILS = 4_000;

type Beside = 'nobody' | 'strangers' | 'a failing issuer';

const rotationBeside = (beside: Beside): Scenario => ({
  name: `the issuer's key rotated under load, beside ${beside}`,
  async run({ rotations }) {
    const issuer = await startIssuer();
    const server = await startPostgresServer();
    const trust = { JWT_JWKS_URL: issuer.url, JWT_ISSUER: ISSUER, JWT_AUDIENCE: AUDIENCE };
    const service = await startService({ DATABASE_URL: await databaseOf(server), AUTH: 'all', ...trust });
    try {
      return await findingsOf(service, issuer, beside, rotations);
    } finally {
      await service.stop('SIGKILL');
      await Promise.all([server.stop(), issuer.close()]);
    }
  },
});

export const rotations: readonly Scenario[] = (['nobody', 'strangers', 'a failing issuer'] as const).map(
  rotationBeside,
);

async function findingsOf(service: Service, issuer: Issuer, beside: Beside, times: number): Promise<Finding[]> {
  const { base } = service;
  const began = performance.now();
  let silent = 0;
  const ask: Ask = async () => {
    const response = await get(base, await issuer.token({ scope: 'read', jti: randomUUID() }));
    if (response.status === 503 && !response.headers.has('retry-after')) silent++;
    return { path: '', response };
  };
  const load = startLoad(base, CLIENTS, { ask });
  const strangers = startLoad(base, beside === 'nobody' ? 0 : STRANGERS, {
    ask: await strangersAsk(),
    pause: STRANGERS_PAUSE,
  });
  await sleep(BETWEEN);
  const rotated: { at: number; readable: number }[] = [];
  const withdrawn: Sample['status'][] = [];
  let failing = 0;
  for (let n = 0; n < times; n++) {
    const old = await issuer.token({ scope: 'read', jti: randomUUID(), iat: secondsNow() - LONG_AGO });
    await issuer.rotate();
    const at = performance.now();
    if (beside === 'a failing issuer') {
      issuer.status = 500;
      await sleep(FAILS);
      failing += FAILS;
      issuer.status = 200;
    }
    rotated.push({ at, readable: performance.now() });
    await sleep(BETWEEN);
    withdrawn.push((await get(base, old)).status);
  }
  await Promise.all([load.stop(), strangers.stop()]);
  const lasted = performance.now() - began;
  const valid = load.samples;
  const failed = valid.filter(({ status }) => status !== 200);
  const slowest = Math.max(
    0,
    ...failed.map(({ ended }) => ended - (rotated.findLast(({ at }) => at < ended)?.readable ?? ended)),
  );
  const most = 1 + times + Math.ceil(lasted / ASKED_EVERY) + Math.ceil(failing / ASKED_AGAIN);
  return [
    {
      promise: 'valid tokens are never 401: success, or 503 with Retry-After until the new key is known',
      measured: tally(valid.map(outcomeOf)),
      holds: silent === 0 && failed.every(({ status }) => status === 503) && valid.length > failed.length,
    },
    {
      promise: `the new key is known within ${seconds(KNOWN_WITHIN)} of its being there to be read`,
      measured: seconds(slowest),
      holds: slowest <= KNOWN_WITHIN,
    },
    {
      promise: 'an unused token of the withdrawn key is 401 from then on',
      measured: tally(withdrawn),
      holds: withdrawn.every((status) => status === 401),
    },
    ...(strangers.samples.length === 0
      ? []
      : [
          {
            promise: 'tokens of unknown keys are 401, or 503 while the keys cannot be read',
            measured: tally(strangers.samples.map(outcomeOf)),
            holds: strangers.samples.every(({ status }) => status === 401 || status === 503),
          },
        ]),
    {
      promise: `the issuer is asked seldom: ${most} times at most in ${seconds(lasted)}`,
      measured: `${issuer.asked} times, for ${valid.length + strangers.samples.length} tokens`,
      holds: issuer.asked <= most,
    },
  ];
}

/** Tokens with valid claims, old and new, each signed by a key that the issuer does not have. */
async function strangersAsk(): Promise<Ask> {
  const { privateKey } = await generateKeyPair('RS256');
  return async (base, n) => {
    const now = secondsNow();
    const iat = n % 2 === 0 ? now : now - LONG_AGO;
    const claims = { iss: ISSUER, aud: AUDIENCE, sub: 'eve', iat, exp: now + 300, scope: 'read' };
    const token = await new SignJWT(claims).setProtectedHeader({ alg: 'RS256', kid: randomUUID() }).sign(privateKey);
    return { path: '', response: await get(base, token) };
  };
}

function secondsNow(): number {
  return Math.floor(Date.now() / 1000);
}

function get(base: string, token: string): Promise<Response> {
  return fetch(`${base}/pets`, { headers: { authorization: `Bearer ${token}` } });
}
