/** How far a thing can be relied on. What bears no mark is stable. */
export type Mark = StabilityMark | DeprecationMark;

export interface StabilityMark {
  readonly level: 'experimental' | 'beta';
}

export interface DeprecationMark {
  readonly level: 'deprecated';
  /** The day, in UTC, from whose beginning it is deprecated: `2026-07-01`. */
  readonly since: string;
  /** The day, in UTC, until whose end it is served. */
  readonly sunset: string;
  /** What takes its place. */
  readonly successor: Successor;
  readonly why: string;
}

/** A field to use instead, with which of the marked field's arguments goes into which of its own. */
export interface Successor {
  /** A schema coordinate, such as `Query.books`. */
  readonly field: string;
  /** Argument of the successor -> argument of the marked field. */
  readonly args?: Readonly<Record<string, string>>;
}

/** May change or go at any time, without notice. */
export function experimental(): StabilityMark {
  return { level: 'experimental' };
}

/** Settled in the main; a change is announced 30 days ahead. */
export function beta(): StabilityMark {
  return { level: 'beta' };
}

/** Still served, until the end of the sunset day; a mark that cannot hold stops the start. */
export function deprecated(mark: Omit<DeprecationMark, 'level'>): DeprecationMark {
  return { level: 'deprecated', ...mark };
}

const NOTICE_DAYS = 180;
const DAY = 86_400_000;

/** The first instant of the deprecation (RFC 9745 has it as an integer date). */
export function sinceInstant(mark: DeprecationMark): Date {
  return new Date(`${mark.since}T00:00:00Z`);
}

/** The last second in which it is served (RFC 8594 has it as an HTTP-date). */
export function sunsetInstant(mark: DeprecationMark): Date {
  return new Date(`${mark.sunset}T23:59:59Z`);
}

/**
 * Refuses a mark that breaks its own promise.
 *
 * @param coordinate what bears it, for the message
 * @throws {Error} when a date is none, or the notice is shorter than 180 days
 */
export function assertMark(coordinate: string, mark: Mark): void {
  if (mark.level !== 'deprecated') return;
  const [since, sunset] = [sinceInstant(mark).getTime(), sunsetInstant(mark).getTime()];
  if (Number.isNaN(since) || Number.isNaN(sunset)) {
    throw new Error(`${coordinate}: since and sunset must be days such as 2026-07-01.`);
  }
  if (sunset - since < NOTICE_DAYS * DAY) {
    throw new Error(`${coordinate}: from ${mark.since} to ${mark.sunset} is less than ${NOTICE_DAYS} days' notice.`);
  }
}
