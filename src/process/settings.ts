import { readFileSync } from 'node:fs';
import leven, { closestMatch } from 'leven';
import * as z from 'zod';

/** As `URL` writes it: a host of other letters, as xn--, can be sent in header fields. */
const origin = z
  .string()
  .refine(
    (url) => /^https?:\/\/[^/?#@\\\s]+\/?$/.test(url) && URL.canParse(url),
    'must be an origin such as https://pets.example; a path goes into BASE_PATH',
  )
  .transform((url) => new URL(url).origin);

/** Whether it is an origin as browsers send it: in lower case, without the usual port. They send no `*`. */
function isBrowserOrigin(text: string): boolean {
  return /^https?:[^*]+$/.test(text) && URL.canParse(text) && new URL(text).origin === text;
}

const instant = z.iso
  .datetime({ offset: true, error: 'must be an instant with its offset, such as 2028-01-01T00:00:00Z' })
  .transform((text) => new Date(text));

/** A brownout: `2027-12-01T14:00:00Z/PT15M`, or `Query.book@2027-12-01T14:00:00Z/2027-12-01T14:15:00Z`. */
const brownout = z.string().transform((text, context) => {
  const [, coordinate, start = '', end = ''] = /^(?:([^@/]+)@)?([^@/]+)\/([^@/]+)$/.exec(text) ?? [];
  const from = instant.safeParse(start).data;
  const until = from && (instant.safeParse(end).data ?? after(from, end));
  // An end beyond the range of dates compares false with everything.
  if (from !== undefined && until !== undefined && from < until) return { coordinate, from, until };
  const accepted = '[coordinate@]start/end, such as 2027-12-01T14:00:00Z/PT15M, separated by commas';
  const message =
    until === undefined
      ? `must be a list of ${accepted}; ${text} is not one`
      : `must have each end after its start; ${text} does not`;
  context.addIssue({ code: 'custom', message });
  return z.NEVER;
});

/** The instant after an ISO 8601 duration of hours, minutes and seconds; undefined for other text. */
function after(from: Date, duration: string): Date | undefined {
  const [all, hours = 0, minutes = 0, seconds = 0] = /^PT(?=\d)(?:(\d+)H)?(?:(\d+)M)?(?:(\d+)S)?$/.exec(duration) ?? [];
  const length = ((Number(hours) * 60 + Number(minutes)) * 60 + Number(seconds)) * 1000;
  return all === undefined ? undefined : new Date(from.getTime() + length);
}

/** Only asymmetric ones: with a shared secret, everyone who can verify a token could also issue one. */
const ALGORITHMS = ['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512', 'ES256', 'ES384', 'ES512', 'EdDSA'];

function isLocal(url: string): boolean {
  return URL.canParse(url) && /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(new URL(url).hostname);
}

const SSL_MODES = ['disable', 'allow', 'prefer', 'require', 'verify-ca', 'verify-full'];

/** Whether a URL can be decoded, and no part of its password would be taken for the host, which is logged. */
function isEncoded(url: string): boolean {
  return !/%(?![0-9a-f]{2})|#|^[^/]*\/\/[^/?]*[/?].*@/i.test(url);
}

/** Units per seconds, such as `6000/60s`. */
const quota = z
  .string()
  .regex(/^[1-9]\d{0,8}\/[1-9]\d{0,4}s$/)
  .transform((text) => {
    const [units = 0, seconds = 0] = text.replace('s', '').split('/').map(Number);
    return { units, seconds };
  });
const QUOTA_IN_PRODUCTION = { units: 6_000, seconds: 60 };

/** A period in days, hours or minutes, such as `7d`; in seconds. */
const period = z
  .string()
  .regex(/^[1-9]\d{0,3}[dhm]$/, 'must be days, hours or minutes, such as 7d, 12h or 30m')
  .transform((text) => Number.parseInt(text, 10) * ({ d: 86_400, h: 3_600, m: 60 }[text.slice(-1)] as number));

function wholeNumber(min: number, max: number) {
  const error = `must be a whole number from ${min} to ${max}`;
  return z
    .string()
    .regex(/^\d{1,6}$/, error)
    .transform(Number)
    .refine((number) => number >= min && number <= max, error);
}

/** Texts separated by commas or white space. */
const list = z.string().transform((text) => text.split(/[\s,]+/).filter(Boolean));

/** Whether production is meant, which would silently be development: open for everyone, with example data. */
function isAlmostProduction(name: string): boolean {
  const plain = name.trim().toLowerCase();
  const isMeant = ['prod', 'prd', 'live'].includes(plain) || leven(plain, 'production') <= MAX_WRONG;
  return isMeant && name !== 'production';
}

const onOff = z.enum(['on', 'off'], { error: 'must be on or off' }).default('on');
const LOG_LEVELS = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'] as const;

const settings = z.object({
  PORT: wholeNumber(0, 65_535).default(4000),
  HOST: z.string().min(1).default('127.0.0.1'),
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
    .refine((url) => !/^[^/?]*,/.test(url.slice(url.lastIndexOf('@') + 1)), {
      error: 'must name one host; for several servers, one that leads to the primary',
    })
    .refine((url) => SSL_MODES.includes(/[?&]sslmode=([^&]*)/.exec(url)?.[1] ?? 'disable'), {
      error: `must have as sslmode one of ${SSL_MODES.join(', ')}`,
    })
    .optional(),
  DATABASE_PASSWORD: z.string().optional(),
  DATABASE_POOL: wholeNumber(6, 500).default(18),
  MIGRATE: onOff,
  DATABASE: z
    .enum(['embedded'], { error: 'must be embedded or unset; the address of a server goes into DATABASE_URL' })
    .optional(),
  DATA_DIR: z.string().min(1).default('.data'),
  WORKERS: wholeNumber(1, 128).default(1),
  CORS_ORIGINS: list
    .refine(
      (origins) => origins.every((origin) => origin === '*' || isBrowserOrigin(origin)),
      "must be '*', or origins as browsers send them, such as https://shop.example, separated by commas, or empty for none",
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
      error: `must be some of ${ALGORITHMS.join(', ')}, separated by commas`,
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
    .refine((name) => !isAlmostProduction(name), 'must be exactly production; with any other value it is development')
    .optional(),
  LOG_LEVEL: z.enum(LOG_LEVELS, { error: `must be one of ${LOG_LEVELS.join(', ')}` }).default('info'),
});

const settingsThatFit = settings
  .superRefine(
    (all, context) => {
      const reject = (name: string, message: string) => context.addIssue({ code: 'custom', path: [name], message });
      const isProduction = all.NODE_ENV === 'production';
      const hasServer = all.DATABASE_URL !== undefined;
      if (isProduction && all.LIFECYCLE_CLOCK !== undefined)
        reject('LIFECYCLE_CLOCK', 'rehearses a day, and so cannot be set when NODE_ENV is production');
      if (all.WORKERS > 1 && !hasServer)
        reject(
          'WORKERS',
          'must be 1 for the embedded database, which belongs to one process; set DATABASE_URL for more',
        );
      if (all.DATABASE_PASSWORD !== undefined && !hasServer)
        reject('DATABASE_PASSWORD', 'is for the server that DATABASE_URL names: set that too');
      if (all.DATABASE_PASSWORD !== undefined && /^\w+:\/\/(?:[/?]|$)/.test(all.DATABASE_URL ?? ''))
        reject('DATABASE_URL', 'must name a host if DATABASE_PASSWORD is set: without one, a URL has no password');
      if (all.DATABASE === 'embedded' && hasServer)
        reject('DATABASE', 'is embedded, and DATABASE_URL names a server: set one of them');
      const orEmbedded = 'or set DATABASE=embedded for the database inside this process';
      if (isProduction && !hasServer && all.DATABASE === undefined)
        reject('DATABASE_URL', `must be set when NODE_ENV is production; ${orEmbedded}`);
      const modes = 'required, all, or open for a service that everyone can change';
      if (isProduction && all.AUTH === undefined) reject('AUTH', `must be set when NODE_ENV is production: ${modes}`);
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

function withPassword(url: string | undefined, password: string | undefined): string | undefined {
  if (url === undefined || password === undefined) return url;
  return Object.assign(new URL(url), { password: encodeURIComponent(password) }).href;
}

/** The service's settings, each named as its environment variable. docs/operating.md says what each one means. */
export type Settings = z.output<typeof settingsThatFit>;

/** The settings are not valid; the message names every error, one per line. */
export class SettingsError extends Error {}

/** Each can also be in a file, whose path is in the variable of that name with `_FILE`; space at its end is removed. */
const SECRETS = ['DATABASE_URL', 'DATABASE_PASSWORD'];
const FILE = '_FILE';

/** Reads the settings. An empty variable counts as unset, except where empty has a meaning: BASE_PATH, CORS_ORIGINS. */
export function readSettings(environment: Readonly<Record<string, string | undefined>>): Settings {
  const present = Object.entries(environment).filter(
    ([name, value]) => value !== '' || name === 'BASE_PATH' || name === 'CORS_ORIGINS',
  );
  const given = Object.fromEntries(present);
  const result = settingsThatFit.safeParse({ ...given, ...secretsIn(given) });
  if (result.success) return result.data;
  const errors = result.error.issues.map(({ path: [name], message }) => `${String(name)} ${message}`);
  throw new SettingsError([...errors, ...misspeltSettings(environment)].join('\n'));
}

function secretsIn(given: Readonly<Record<string, string | undefined>>): Readonly<Record<string, string>> {
  const secrets: Record<string, string> = {};
  for (const name of SECRETS) {
    const file = given[name + FILE];
    if (file === undefined) continue;
    if (given[name] !== undefined) throw new SettingsError(`${name} and ${name}${FILE} are both set: set one of them`);
    try {
      secrets[name] = readFileSync(file, 'utf8').trimEnd();
    } catch (error) {
      throw new SettingsError(`${name}${FILE} cannot be read: ${(error as Error).message}`);
    }
    if (secrets[name] === '') throw new SettingsError(`${name}${FILE} is the path of an empty file: ${file}`);
  }
  return secrets;
}

/** How many letters of a name may be wrong; only one in a short name, which would resemble too many others. */
const MAX_WRONG = 2;
const SHORT_NAME = 5;

/** A sentence about each variable with almost the name of a setting, such as `DATABASE_ULR`, which has no effect. */
export function misspeltSettings(environment: Readonly<Record<string, string | undefined>>): readonly string[] {
  const names = new Set([...Object.keys(settings.shape), ...SECRETS.map((name) => name + FILE)]);
  const known = new Map([...names].map((name) => [plainName(name), name]));
  return Object.keys(environment).flatMap((name) => {
    // Those of PostgreSQL's own clients are meant, such as PGDATABASE.
    if (names.has(name) || name.startsWith('PG')) return [];
    const nearest = closestMatch(plainName(name), [...known.keys()], { maxDistance: MAX_WRONG });
    if (nearest === undefined) return [];
    const isNear = nearest.length > SHORT_NAME || leven(plainName(name), nearest) <= 1;
    return isNear ? [`${name} is not a setting; did you mean ${known.get(nearest)}?`] : [];
  });
}

function plainName(name: string): string {
  return name.toUpperCase().replaceAll('_', '');
}
