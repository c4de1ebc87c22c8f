import { z } from 'zod';

const origin = z
  .string()
  .regex(/^https?:\/\/[^/?#]+\/?$/, 'must be an origin such as https://pets.example; a path goes into BASE_PATH')
  .transform((url) => url.replace(/\/$/, ''));

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
  CORS_ORIGINS: z
    .string()
    .transform((list) => list.split(/[\s,]+/).filter(Boolean))
    .refine(
      (origins) => origins.every((origin) => origin === '*' || /^https?:\/\/[^/]+$/.test(origin)),
      "must be '*', or origins such as https://shop.example separated by commas, or empty for none",
    )
    .default(['*']),
  LOG_LEVEL: z
    .enum(['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'], {
      error: 'must be one of fatal, error, warn, info, debug, trace, silent',
    })
    .default('info'),
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
  const result = settings.safeParse(Object.fromEntries(present));
  if (result.success) return result.data;
  const faults = result.error.issues.map((issue) => `${issue.path.join('.')} ${issue.message}`);
  throw new SettingsError(faults.join('\n'));
}
