import { z } from 'zod';

const origin = z
  .string()
  .regex(/^https?:\/\/[^/?#]+\/?$/, 'must be an origin such as https://pets.example; a path goes into BASE_PATH')
  .transform((url) => url.replace(/\/$/, ''));

const INSTANT = 'an instant with its offset, such as 2028-01-01T00:00:00Z';
const instant = z.iso.datetime({ offset: true, error: `must be ${INSTANT}` }).transform((text) => new Date(text));

/** The one of several: `2027-12-01T14:00:00Z/PT15M`, or `Query.book@2027-12-01T14:00:00Z/2027-12-01T14:15:00Z`. */
const brownout = z.string().transform((text, context) => {
  const [, coordinate, start = '', end = ''] = /^(?:([^@/]+)@)?([^@/]+)\/([^@/]+)$/.exec(text) ?? [];
  const from = instant.safeParse(start).data;
  const until = from && (instant.safeParse(end).data ?? after(from, end));
  if (from === undefined || until === undefined) {
    const accepted = '[coordinate@]start/end, such as 2027-12-01T14:00:00Z/PT15M, separated by commas';
    context.addIssue({ code: 'custom', message: `must be a list of ${accepted}; ${text} is none` });
    return z.NEVER;
  }
  // An end too far for a date compares with nothing.
  if (!(from < until)) {
    context.addIssue({ code: 'custom', message: `must have each end after its start; ${text} has not` });
    return z.NEVER;
  }
  return { coordinate, from, until };
});

/** A duration of hours, minutes and seconds by ISO 8601 after an instant; undefined for other text. */
function after(from: Date, duration: string): Date | undefined {
  const [all, hours = 0, minutes = 0, seconds = 0] = /^PT(?=\d)(?:(\d+)H)?(?:(\d+)M)?(?:(\d+)S)?$/.exec(duration) ?? [];
  const length = ((Number(hours) * 60 + Number(minutes)) * 60 + Number(seconds)) * 1000;
  return all === undefined ? undefined : new Date(from.getTime() + length);
}

const WORKERS = 'must be a number of processes from 1 to 128';

const settings = z.object({
  PORT: z
    .string()
    .regex(/^\d{1,5}$/, 'must be a port number from 0 to 65535')
    .transform(Number)
    .refine((port) => port <= 65535, 'must be a port number from 0 to 65535')
    .default(4000),
  HOST: z.string().min(1).default('127.0.0.1'),
  BASE_PATH: z
    .string()
    .regex(/^(\/[A-Za-z0-9._~-]+)*$/, "must be empty or begin with '/' and not end with it, such as /api/v1")
    .default(''),
  PUBLIC_URL: origin.optional(),
  DATABASE_URL: z
    .url({ protocol: /^postgres(ql)?$/, error: 'must be an address such as postgres://user:password@host:5432/name' })
    .optional(),
  DATA_DIR: z.string().min(1).default('.data'),
  WORKERS: z
    .string()
    .regex(/^\d{1,3}$/, WORKERS)
    .transform(Number)
    .refine((workers) => workers >= 1 && workers <= 128, WORKERS)
    .default(1),
  CORS_ORIGINS: z
    .string()
    .transform((list) => list.split(/[\s,]+/).filter(Boolean))
    .refine(
      (origins) => origins.every((origin) => origin === '*' || /^https?:\/\/[^/]+$/.test(origin)),
      "must be '*', or origins such as https://shop.example separated by commas, or empty for none",
    )
    .default(['*']),
  SUNSET: z.enum(['announce', 'enforce'], { error: 'must be announce or enforce' }).default('announce'),
  BROWNOUTS: z
    .string()
    .transform((list) => list.split(/[\s,]+/).filter(Boolean))
    .pipe(z.array(brownout))
    .default([]),
  LIFECYCLE_CLOCK: instant.optional(),
  NODE_ENV: z.string().optional(),
  LOG_LEVEL: z
    .enum(['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'], {
      error: 'must be one of fatal, error, warn, info, debug, trace, silent',
    })
    .default('info'),
});

const settingsThatFit = settings
  .refine(({ NODE_ENV, LIFECYCLE_CLOCK }) => NODE_ENV !== 'production' || LIFECYCLE_CLOCK === undefined, {
    path: ['LIFECYCLE_CLOCK'],
    error: 'rehearses a day, and so cannot be set where NODE_ENV is production',
  })
  .refine(({ WORKERS, DATABASE_URL }) => WORKERS === 1 || DATABASE_URL !== undefined, {
    path: ['WORKERS'],
    error: 'must be 1 for the embedded database, which belongs to one process; set DATABASE_URL for more',
  });

/** The service's settings, each named as its environment variable. The README says what each one means. */
export type Settings = z.output<typeof settings>;

/** The settings cannot be used; the message names every fault at once, a line each. */
export class SettingsError extends Error {}

/**
 * Reads the settings. A variable that is set but empty counts as unset, but for BASE_PATH and CORS_ORIGINS, where
 * empty has a meaning.
 *
 * @throws {SettingsError} when any value is bad
 */
export function readSettings(environment: Readonly<Record<string, string | undefined>>): Settings {
  const present = Object.entries(environment).filter(
    ([name, value]) => value !== '' || name === 'BASE_PATH' || name === 'CORS_ORIGINS',
  );
  const result = settingsThatFit.safeParse(Object.fromEntries(present));
  if (result.success) return result.data;
  const faults = result.error.issues.map(({ path: [name], message }) => `${String(name)} ${message}`);
  throw new SettingsError(faults.join('\n'));
}
