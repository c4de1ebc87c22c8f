/** `stable` if it is not annotated. */
export type Stability = 'experimental' | 'beta' | 'stable';

export type Level = 'experimental' | 'beta' | 'deprecated';

interface StabilityAnnotation {
  readonly level: 'experimental' | 'beta';
}

export interface DeprecationAnnotation {
  readonly level: 'deprecated';
  /** The first day on which it is deprecated, in UTC: `2026-07-01`. */
  readonly since: string;
  /** The last day on which it is served, in UTC. */
  readonly sunset: string;
  readonly successor: Successor;
  readonly why: string;
}

/** The replacement, by its coordinate, such as `Query.books`, `Query.books(title:)`, `NewBook.title` or `Genre.NOVEL`. */
export interface Successor {
  readonly coordinate: string;
  /** For fields: argument of the successor -> argument of the deprecated field with its value. */
  readonly args?: Readonly<Record<string, string>>;
}

export type Annotation = StabilityAnnotation | DeprecationAnnotation;

/** As it is declared: one annotation, or a stability and a deprecation. */
export type Declared = Annotation | readonly Annotation[];

export interface Annotations {
  readonly stability: Stability;
  readonly deprecation: DeprecationAnnotation | undefined;
}

/** It can change or be removed at any time, without notice. */
export function experimental(): StabilityAnnotation {
  return { level: 'experimental' };
}

/** Mostly settled; breaking changes are announced 30 days ahead. */
export function beta(): StabilityAnnotation {
  return { level: 'beta' };
}

/** Served until the end of the sunset day. An invalid annotation makes the build of the schema fail. */
export function deprecated(annotation: Omit<DeprecationAnnotation, 'level'>): DeprecationAnnotation {
  return { level: 'deprecated', ...annotation };
}

/** The minimum number of days from a deprecation to its sunset. */
export const NOTICE_DAYS: Readonly<Record<Stability, number>> = { stable: 180, beta: 30, experimental: 0 };

/** What each level of stability promises, in a sentence. */
export const PROMISES = {
  beta: `Mostly settled. Breaking changes are announced ${NOTICE_DAYS.beta} days ahead.`,
  experimental: 'It can change or be removed at any time, without notice.',
} as const;

export const DAY_MILLISECONDS = 86_400_000;

export function combineAnnotations(declared: Declared): Annotations {
  const list = 'level' in declared ? [declared] : declared;
  return {
    stability: list.find((annotation) => annotation.level !== 'deprecated')?.level ?? 'stable',
    deprecation: list.find((annotation) => annotation.level === 'deprecated'),
  };
}

/** The most important annotation: a deprecation matters more than the stability. */
export function levelOf({ stability, deprecation }: Annotations): Level {
  return deprecation === undefined && stability !== 'stable' ? stability : 'deprecated';
}

/** The first instant of the deprecation (an integer date in RFC 9745). */
export function sinceInstant(annotation: Pick<DeprecationAnnotation, 'since'>): Date {
  return new Date(`${annotation.since}T00:00:00Z`);
}

/** The last second in which it is served (an HTTP-date in RFC 8594). */
export function sunsetInstant(annotation: Pick<DeprecationAnnotation, 'sunset'>): Date {
  return new Date(`${annotation.sunset}T23:59:59Z`);
}

export function isPastSunset(annotation: Pick<DeprecationAnnotation, 'sunset'>, now: Date): boolean {
  return toDay(now) > annotation.sunset;
}

/** The day of an instant, in UTC: `2026-07-01`. Days of four-digit years sort as strings. */
export function toDay(instant: Date): string {
  return instant.toISOString().slice(0, 10);
}

export function addDays(day: string, days: number): string {
  return toDay(new Date(Date.parse(`${day}T00:00:00Z`) + days * DAY_MILLISECONDS));
}

/** Negative if the other is earlier. */
export function daysBetween(from: string, to: string): number {
  return Math.round((Date.parse(`${to}T00:00:00Z`) - Date.parse(`${from}T00:00:00Z`)) / DAY_MILLISECONDS);
}
