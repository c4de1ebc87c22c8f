import { isDate } from '../date.ts';

/** What is promised of a thing that bears no mark, or one of these. */
export type Stability = 'experimental' | 'beta' | 'stable';

/** The most important mark of an element, in one word. */
export type Level = 'experimental' | 'beta' | 'deprecated';

interface StabilityAnnotation {
  readonly level: 'experimental' | 'beta';
}

export interface DeprecationAnnotation {
  readonly level: 'deprecated';
  /** The day, in UTC, from whose beginning it is deprecated: `2026-07-01`. */
  readonly since: string;
  /** The day, in UTC, until whose end it is served. */
  readonly sunset: string;
  /** What takes its place. */
  readonly successor: Successor;
  readonly why: string;
}

/** What to use instead: its schema coordinate, such as `Query.books`, `NewBook.title` or `Genre.NOVEL`. */
export interface Successor {
  readonly coordinate: string;
  /** For fields: argument of the successor -> argument of the marked field that goes into it. */
  readonly args?: Readonly<Record<string, string>>;
}

/** What is declared beside a field, argument, input field or enum value. */
export type Annotation = StabilityAnnotation | DeprecationAnnotation;

/** The marks that one thing bears: what was promised of it, and whether it is on its way out. At least one. */
export interface Annotations {
  readonly stability: Stability;
  readonly deprecation: DeprecationAnnotation | undefined;
}

/** May change or go at any time, without notice. */
export function experimental(): StabilityAnnotation {
  return { level: 'experimental' };
}

/** Settled in the main; a change is announced 30 days ahead. */
export function beta(): StabilityAnnotation {
  return { level: 'beta' };
}

/** Still served, until the end of the sunset day; a mark that cannot hold stops the start. */
export function deprecated(annotation: Omit<DeprecationAnnotation, 'level'>): DeprecationAnnotation {
  return { level: 'deprecated', ...annotation };
}

/** How many days there must be from the deprecation of a thing to its sunset. */
export const NOTICE_DAYS: Readonly<Record<Stability, number>> = { stable: 180, beta: 30, experimental: 0 };

export const DAY_MILLISECONDS = 86_400_000;

/** Puts together what is declared beside one thing. */
export function combineAnnotations(declared: Annotation | readonly Annotation[]): Annotations {
  const list = 'level' in declared ? [declared] : declared;
  return {
    stability:
      list.find((annotation): annotation is StabilityAnnotation => annotation.level !== 'deprecated')?.level ??
      'stable',
    deprecation: list.find((annotation) => annotation.level === 'deprecated'),
  };
}

/** The marks in one word: that it goes matters more than what was promised of it. */
export function levelOf({ stability, deprecation }: Annotations): Level {
  return deprecation === undefined && stability !== 'stable' ? stability : 'deprecated';
}

/** The first instant of the deprecation (RFC 9745 has it as an integer date). */
export function sinceInstant(annotation: Pick<DeprecationAnnotation, 'since'>): Date {
  return new Date(`${annotation.since}T00:00:00Z`);
}

/** The last second in which it is served (RFC 8594 has it as an HTTP-date). */
export function sunsetInstant(annotation: Pick<DeprecationAnnotation, 'sunset'>): Date {
  return new Date(`${annotation.sunset}T23:59:59Z`);
}

/** Whether the sunset day has ended. */
export function isPastSunset(annotation: Pick<DeprecationAnnotation, 'sunset'>, now: Date): boolean {
  return toDay(now) > annotation.sunset;
}

/** The day of an instant, in UTC: `2026-07-01`. Days of four-digit years sort as text does. */
export function toDay(instant: Date): string {
  return instant.toISOString().slice(0, 10);
}

/** The day that many days after a day; before it, for a negative number. */
export function addDays(day: string, days: number): string {
  return toDay(new Date(Date.parse(`${day}T00:00:00Z`) + days * DAY_MILLISECONDS));
}

/** How many days lie between two days: negative when the second comes first. */
export function daysBetween(from: string, to: string): number {
  return Math.round((Date.parse(`${to}T00:00:00Z`) - Date.parse(`${from}T00:00:00Z`)) / DAY_MILLISECONDS);
}

/**
 * Rejects marks that break their own promise.
 *
 * @param coordinate what bears them, for the message
 * @throws {Error} when they contradict each other, a date is none, or the notice is shorter than the policy has it
 */
export function assertAnnotations(coordinate: string, declared: Annotation | readonly Annotation[]): void {
  const list = 'level' in declared ? [declared] : declared;
  const stabilities = list.filter(({ level }) => level !== 'deprecated');
  if (list.length === 0 || stabilities.length > 1 || list.length - stabilities.length > 1) {
    throw new Error(`${coordinate}: it can be one of experimental and beta, and deprecated, each once.`);
  }
  const { stability, deprecation } = combineAnnotations(list);
  if (deprecation === undefined) return;
  const { since, sunset, why } = deprecation;
  for (const day of [since, sunset]) {
    if (!isDate(day)) throw new Error(`${coordinate}: ${day} is no day; since and sunset are days such as 2026-07-01.`);
  }
  if (sunset < since) throw new Error(`${coordinate}: its sunset ${sunset} is before its deprecation, ${since}.`);
  const notice = NOTICE_DAYS[stability];
  const days = daysBetween(since, sunset);
  if (days < notice) {
    throw new Error(
      `${coordinate}: from ${since} to ${sunset} are ${days} days; what is ${stability} needs ${notice} days' notice.`,
    );
  }
  if (!/[.!?]$/.test(why)) throw new Error(`${coordinate}: why must be a sentence, for people read it.`);
}
