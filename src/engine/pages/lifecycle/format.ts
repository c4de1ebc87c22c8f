import { type Level, NOTICE_DAYS, PROMISES } from '../../lifecycle/annotation.ts';
import type { ReportEntry } from '../../lifecycle/report.ts';
import { capitalize } from '../../text.ts';

/** What each level promises, in a sentence. */
export const PROMISES_OF_LEVELS: Readonly<Record<Level, string>> = {
  ...PROMISES,
  deprecated: `Served until the end of its sunset day, in UTC. That is at least ${NOTICE_DAYS.stable} days after its deprecation, or ${NOTICE_DAYS.beta} days if it was beta.`,
};

/** `31 December 2027`, `31 Dec 2027` or `31 Dec`, in UTC. */
export const inWords = format({ dateStyle: 'long' });
export const inShort = format({ dateStyle: 'medium' });
export const withoutYear = format({ day: 'numeric', month: 'short' });
/** `21 Nov, 09:30` or `21 Nov 2026, 09:30`, in UTC. */
export const toMinute = format({ day: 'numeric', month: 'short', hour: '2-digit', minute: '2-digit' });
export const toMinuteOfYear = format({ dateStyle: 'medium', timeStyle: 'short' });

/** A number for people: `1,204`. */
export const { format: grouped } = new Intl.NumberFormat('en-GB');

/** Independent of the machine's time zone and language. */
function format(options: Intl.DateTimeFormatOptions): (instant: string | Date) => string {
  const dates = new Intl.DateTimeFormat('en-GB', { ...options, timeZone: 'UTC' });
  return (instant) => dates.format(new Date(instant));
}

/** A day as a `time` element, which programs can read too. */
export function dayElement(day: string): string {
  return `<time datetime="${day}">${inWords(day)}</time>`;
}

/** A count with its noun: `1 use`, `1,204 uses`. */
export function counted(many: number, what: string): string {
  return `${grouped(many)} ${what}${many === 1 ? '' : 's'}`;
}

/** The days until a sunset in words: 0 on the day itself, negative after it. */
export function daysLeftInWords(daysLeft: number): string {
  if (daysLeft === 0) return 'today is its last day';
  return daysLeft > 0 ? `${counted(daysLeft, 'day')} left` : `ended ${counted(-daysLeft, 'day')} ago`;
}

/** A sentence of the report with a capital letter, and its days in words. */
export function asSentence(text: string): string {
  return capitalize(text.replaceAll(/\b\d{4}-\d\d-\d\d\b/g, (day) => inWords(day)));
}

/** The title of an element: its operation, or its coordinate if it is only a part of an operation. */
export function titleOf({ coordinate, operation }: Pick<ReportEntry, 'coordinate' | 'operation'>): string {
  return operation === undefined || coordinate.endsWith(')') ? coordinate : operation;
}

/** The badge of the level, and that of the stability if it is another one and not stable. */
export function badges({ level, stability }: Pick<ReportEntry, 'level' | 'stability'>): string {
  return level === stability || stability === 'stable' ? badge(level) : `${badge(level)} ${badge(stability)}`;
}

export function badge(level: ReportEntry['level'] | ReportEntry['stability']): string {
  return `<span class="badge ${level}">${level}</span>`;
}
