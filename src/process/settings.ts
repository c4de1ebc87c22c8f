import { readFileSync } from 'node:fs';
import * as z from 'zod';
import { isAlmostProduction, misspelt } from './misspelt.ts';
import {
  brownout,
  instant,
  isBrowserOrigin,
  isEncoded,
  isLocal,
  list,
  onOff,
  origin,
  period,
  quota,
  wholeNumber,
} from './setting-values.ts';

/** Only asymmetric ones: with a shared secret, everyone who can verify a token could also issue one. */
const ALGORITHMS = ['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512', 'ES256', 'ES384', 'ES512', 'EdDSA'];

const SSL_MODES = ['disable', 'allow', 'prefer', 'require', 'verify-ca', 'verify-full'];
const QUOTA_IN_PRODUCTION = { units: 6_000, seconds: 60 };
const LOG_LEVELS = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'] as const;

const settings = z.object({
  PORT: wholeNumber(0, 65_535).default(4000),
  HOST: z.string().default('127.0.0.1'),
  BASE_PATH: z
    .string()
    .regex(/^(\/[A-Za-z0-9._~-]+)*$/, "must be empty or begin with '/' and not end with it, such as /api/v1")
    .default(''),
  PUBLIC_URL: origin.optional(),
  DATABASE_URL: z
    .url({ protocol: /^postgres(ql)?$/, error: 'must be an address such as postgres://user:password@host:5432/name' })
    .refine(
      isEncoded,
      'must have % # / ? and @ in its user, password and parameters as %25 %23 %2F %3F and %40, or the password in DATABASE_PASSWORD',
    )
    .refine((url) => !/^[^/]*\/\/[^/?]*,[^/?@]*(?:[/?]|$)/.test(url), {
      error: 'must name one host; for several servers, one that leads to the primary',
    })
    .refine((url) => hasSslMode(Array.from(url.matchAll(/[?&]sslmode=([^&]*)/g), ([, mode = '']) => mode)), {
      error: `must have at most one sslmode: ${SSL_MODES.join(', ')}`,
    })
    .optional(),
  DATABASE_PASSWORD: z.string().optional(),
  DATABASE_POOL: wholeNumber(6, 500).default(18),
  MIGRATE: onOff,
  DATABASE: z
    .enum(['embedded'], { error: 'must be embedded or unset; the address of a server goes into DATABASE_URL' })
    .optional(),
  DATA_DIR: z.string().default('.data'),
  WORKERS: wholeNumber(1, 128).default(1),
  CORS_ORIGINS: list
    .refine(
      (origins) => origins.join() === '*' || origins.every(isBrowserOrigin),
      "must be '*', or origins as browsers send them, such as https://shop.example, without a path or the default port, separated by commas, or empty for none",
    )
    .default(['*']),
  AUTH: z.enum(['open', 'required', 'all'], { error: 'must be open, required or all' }).optional(),
  JWT_JWKS_URL: z
    .url({ protocol: /^https?$/, error: 'must be an address such as https://login.example/jwks.json' })
    .refine((url) => !/^http:/i.test(url) || isLocal(url), 'must begin with https:')
    .refine(
      (url) => !/^[^/]*\/\/[^/]*@/.test(url),
      'must not contain a user or password, with which it cannot be fetched',
    )
    .optional(),
  JWT_ISSUER: z.string().optional(),
  JWT_AUDIENCE: z.string().optional(),
  JWT_ALGORITHMS: list
    .refine((names) => names.length > 0 && names.every((name) => ALGORITHMS.includes(name)), {
      error: `must be one or more of ${ALGORITHMS.join(', ')}, separated by commas`,
    })
    .default(['RS256', 'PS256', 'ES256', 'EdDSA']),
  JWT_CLOCK_SKEW: wholeNumber(0, 300).default(30),
  INTROSPECTION: onOff,
  PLAYGROUND: onOff,
  MAX_REQUESTS: wholeNumber(1, 100_000).default(1_000),
  REQUEST_TIMEOUT: wholeNumber(1, 300)
    .default(10)
    .transform((seconds) => seconds * 1_000),
  RATE_LIMIT: z
    .union([z.literal('off'), quota], { error: 'must be off, or units in seconds such as 6000/60s' })
    .optional(),
  PROXIES: wholeNumber(0, 10).default(0),
  SUNSET: z.enum(['announce', 'enforce'], { error: 'must be announce or enforce' }).default('announce'),
  BROWNOUTS: list.pipe(z.array(brownout)).default([]),
  LIFECYCLE_CLOCK: instant.optional(),
  EVENTS: onOff,
  MAX_STREAMS: wholeNumber(1, 100_000).default(1_000),
  EVENTS_RETENTION: period.default(7 * 86_400),
  NODE_ENV: z
    .string()
    .refine((name) => !isAlmostProduction(name), 'must be exactly production, or unset for development')
    .optional(),
  LOG_LEVEL: z.enum(LOG_LEVELS, { error: `must be one of ${LOG_LEVELS.join(', ')}` }).default('info'),
});

const settingsThatFit = settings
  .superRefine(
    (all, context) => {
      const reject = (name: string, message: string) => context.addIssue({ code: 'custom', path: [name], message });
      assertDatabase(all, reject);
      if (all.NODE_ENV === 'production') assertProduction(all, reject);
      const given = [all.JWT_JWKS_URL, all.JWT_ISSUER, all.JWT_AUDIENCE].filter((one) => one !== undefined);
      if (given.length === 1 || given.length === 2)
        reject('JWT_JWKS_URL', 'goes together with JWT_ISSUER and JWT_AUDIENCE: set all three, or none');
      // By default, it is not called if one of the values is wrong.
    },
    { when: () => true },
  )
  .transform(({ DATABASE_PASSWORD: password, ...all }) => ({
    ...all,
    DATABASE_URL: withPassword(all.DATABASE_URL, password),
    AUTH: all.AUTH ?? 'open',
    RATE_LIMIT: all.RATE_LIMIT ?? (all.NODE_ENV === 'production' ? QUOTA_IN_PRODUCTION : 'off'),
  }));

/** Of several, the driver would take the last. */
function hasSslMode([mode, ...others]: readonly string[]): boolean {
  return mode === undefined || (others.length === 0 && SSL_MODES.includes(mode));
}

type Given = z.output<typeof settings>;
type Reject = (name: string, message: string) => void;

function assertDatabase({ DATABASE_URL, DATABASE_PASSWORD, DATABASE, WORKERS }: Given, reject: Reject): void {
  if (DATABASE_URL === undefined) {
    if (WORKERS > 1)
      reject('WORKERS', 'must be 1 for the embedded database, which belongs to one process; set DATABASE_URL for more');
    if (DATABASE_PASSWORD !== undefined)
      reject('DATABASE_PASSWORD', 'is for the server that DATABASE_URL names: set that too');
    return;
  }
  if (DATABASE_PASSWORD !== undefined && /^\w+:\/\/(?:[/?]|$)/.test(DATABASE_URL))
    reject('DATABASE_URL', 'must name a host if DATABASE_PASSWORD is set: without one, a URL has no password');
  if (DATABASE === 'embedded') reject('DATABASE', 'is embedded, and DATABASE_URL names a server: set one of them');
}

function assertProduction({ LIFECYCLE_CLOCK, DATABASE_URL, DATABASE, AUTH }: Given, reject: Reject): void {
  if (LIFECYCLE_CLOCK !== undefined)
    reject('LIFECYCLE_CLOCK', 'rehearses a day, and so cannot be set when NODE_ENV is production');
  const orEmbedded = 'or set DATABASE=embedded for the database inside this process';
  if (DATABASE_URL === undefined && DATABASE === undefined)
    reject('DATABASE_URL', `must be set when NODE_ENV is production; ${orEmbedded}`);
  const modes = 'required, all, or open for a service that everyone can change';
  if (AUTH === undefined) reject('AUTH', `must be set when NODE_ENV is production: ${modes}`);
}

function withPassword(url: string | undefined, password: string | undefined): string | undefined {
  if (url === undefined || password === undefined) return url;
  return Object.assign(new URL(url), { password: encodeURIComponent(password) }).href;
}

/** The service's settings, each named as its environment variable. docs/operating.md says what each one means. */
export type Settings = z.output<typeof settingsThatFit>;

/** The settings are not valid; the message names every error, one per line. */
export class SettingsError extends Error {}

/**
 * Each can also be in a file, whose path is in the variable of that name with `_FILE`; space at its end is removed. If that
 * fails, this value stands in for it, so that the other settings are still checked.
 */
const SECRETS = { DATABASE_URL: 'postgres://localhost', DATABASE_PASSWORD: 'unknown' };
const FILE = '_FILE';

/** Reads the settings. An empty variable counts as unset, except CORS_ORIGINS: none is not the default there. */
export function readSettings(environment: Readonly<Record<string, string | undefined>>): Settings {
  const present = Object.entries(environment).filter(([name, value]) => value !== '' || name === 'CORS_ORIGINS');
  const given = Object.fromEntries(present);
  const errors: string[] = [];
  const result = settingsThatFit.safeParse({ ...secretsIn(given, (error) => errors.push(error)), ...given });
  if (result.success && errors.length === 0) return result.data;
  for (const { path, message } of result.error?.issues ?? []) {
    const name = String(path[0]);
    const isPadded = given[name] !== given[name]?.trim();
    errors.push(`${name} ${message}${isPadded ? '; its value has space at an end' : ''}`);
  }
  throw new SettingsError([...errors, ...misspeltSettings(environment)].join('\n'));
}

function secretsIn(
  given: Readonly<Record<string, string | undefined>>,
  reject: (error: string) => void,
): Readonly<Record<string, string>> {
  const secrets: Record<string, string> = {};
  for (const [name, substitute] of Object.entries(SECRETS)) {
    const file = given[name + FILE];
    if (file === undefined) continue;
    if (given[name] !== undefined) reject(`${name} and ${name}${FILE} are both set: set one of them`);
    secrets[name] = substitute;
    try {
      const secret = readFileSync(file, 'utf8').trimEnd();
      if (secret === '') reject(`${name}${FILE} is the path of an empty file: ${file}`);
      else secrets[name] = secret;
    } catch (error) {
      // Its value may be the secret itself.
      reject(`${name}${FILE} must be the path of a file that can be read (${(error as NodeJS.ErrnoException).code})`);
    }
  }
  return secrets;
}

/** A sentence about each variable with almost the name of a setting, such as `DATABASE_ULR`, which has no effect. */
export function misspeltSettings(environment: Readonly<Record<string, string | undefined>>): readonly string[] {
  return misspelt(Object.keys(environment), [
    ...Object.keys(settings.shape),
    ...Object.keys(SECRETS).map((name) => name + FILE),
  ]);
}
