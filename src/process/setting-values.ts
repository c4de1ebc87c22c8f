import * as z from 'zod';

/** As `URL` writes it: a host with letters beyond ASCII becomes xn--..., which can be sent in header fields. */
export const origin = z
  .string()
  .refine(
    (url) => /^https?:\/\/[^/?#@\\\s]+\/?$/.test(url) && URL.canParse(url),
    'must be an origin such as https://pets.example, without a user or password; a path goes into BASE_PATH',
  )
  .transform((url) => new URL(url).origin);

/** Whether it is an origin as browsers send it: in lower case, without the default port. They send no `*`. */
export function isBrowserOrigin(text: string): boolean {
  return /^https?:[^*]+$/.test(text) && URL.canParse(text) && new URL(text).origin === text;
}

export const instant = z.iso
  .datetime({ offset: true, error: 'must be an instant with its offset, such as 2028-01-01T00:00:00Z' })
  .transform((text) => new Date(text));

/** A brownout: `2027-12-01T14:00:00Z/PT15M`, or `Query.book@2027-12-01T14:00:00Z/2027-12-01T14:15:00Z`. */
export const brownout = z.string().transform((text, context) => {
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

export function isLocal(url: string): boolean {
  return URL.canParse(url) && /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(new URL(url).hostname);
}

/** Whether a URL can be decoded, and no part of its password would be taken for the host, which is logged. */
export function isEncoded(url: string): boolean {
  return !/%(?![0-9a-f]{2})|#|^[^/]*\/\/[^/?]*[/?].*@/i.test(url);
}

/** Units per seconds, such as `6000/60s`. */
export const quota = z
  .string()
  .regex(/^[1-9]\d{0,8}\/[1-9]\d{0,4}s$/)
  .transform((text) => {
    const [units = 0, seconds = 0] = text.replace('s', '').split('/').map(Number);
    return { units, seconds };
  });

/** A period in days, hours or minutes, such as `7d`; in seconds. */
export const period = z
  .string()
  .regex(/^[1-9]\d{0,3}[dhm]$/, 'must be days, hours or minutes, such as 7d, 12h or 30m')
  .transform((text) => Number.parseInt(text, 10) * ({ d: 86_400, h: 3_600, m: 60 }[text.slice(-1)] as number));

export function wholeNumber(min: number, max: number) {
  const error = `must be a whole number from ${min} to ${max}`;
  return z
    .string()
    .regex(/^\d{1,6}$/, error)
    .transform(Number)
    .refine((number) => number >= min && number <= max, error);
}

/** Texts separated by commas or white space. */
export const list = z.string().transform((text) => text.split(/[\s,]+/).filter(Boolean));

export const onOff = z.enum(['on', 'off'], { error: 'must be on or off' }).default('on');
