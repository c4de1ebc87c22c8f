import { type Level, NOTICE_DAYS } from '../../lifecycle/annotation.ts';
import type { ReportEntry } from '../../lifecycle/report.ts';

/** What each level promises, in a sentence. */
export const PROMISES: Readonly<Record<Level, string>> = {
  deprecated: `Served until the end of its sunset day, in UTC. That is at least ${NOTICE_DAYS.stable} days after its deprecation, or ${NOTICE_DAYS.beta} days if it was beta.`,
  beta: `Mostly settled. Breaking changes are announced ${NOTICE_DAYS.beta} days ahead.`,
  experimental: 'It can change or be removed at any time, without notice.',
};

// Independent of the machine's time zone and language.
const LONG_DAY = format({ day: 'numeric', month: 'long', year: 'numeric' });
const SHORT_DAY = format({ day: 'numeric', month: 'short', year: 'numeric' });
const DAY_OF_YEAR = format({ day: 'numeric', month: 'short' });
const MINUTE = format({ day: 'numeric', month: 'short', hour: '2-digit', minute: '2-digit' });
const MINUTE_OF_YEAR = format({ day: 'numeric', month: 'short', year: 'numeric', hour: '2-digit', minute: '2-digit' });
const NUMBER = new Intl.NumberFormat('en-GB');

function format(options: Intl.DateTimeFormatOptions): Intl.DateTimeFormat {
  return new Intl.DateTimeFormat('en-GB', { ...options, timeZone: 'UTC' });
}

/** A day such as `2027-12-31` in words: `31 December 2027`. */
export function inWords(day: string): string {
  return LONG_DAY.format(new Date(day));
}

/** The same, shorter: `31 Dec 2027`. */
export function inShort(day: string): string {
  return SHORT_DAY.format(new Date(day));
}

/** The same without its year: `31 Dec`. */
export function withoutYear(day: string): string {
  return DAY_OF_YEAR.format(new Date(day));
}

/** An instant to the minute, in UTC: `21 Nov 2026, 09:30`. */
export function toMinuteOfYear(instant: Date): string {
  return MINUTE_OF_YEAR.format(instant);
}

/** The same without its year: `21 Nov, 09:30`. */
export function toMinute(instant: Date): string {
  return MINUTE.format(instant);
}

/** A day as a `time` element, which programs can read too. */
export function dayElement(day: string): string {
  return `<time datetime="${day}">${inWords(day)}</time>`;
}

/** A number for people: `1,204`. */
export function grouped(number: number): string {
  return NUMBER.format(number);
}

/** A count with its noun: `1 use`, `1,204 uses`. */
export function counted(many: number, what: string): string {
  return `${grouped(many)} ${what}${many === 1 ? '' : 's'}`;
}

/** The days left until a sunset in words, from their number: 0 on the day itself, negative after it. */
export function daysLeftInWords(daysLeft: number): string {
  if (daysLeft === 0) return 'today is its last day';
  return daysLeft > 0 ? `${counted(daysLeft, 'day')} left` : `ended ${counted(-daysLeft, 'day')} ago`;
}

/** A sentence of the report with a capital letter, and its days in words. */
export function asSentence(text: string): string {
  const said = text.replaceAll(/\b\d{4}-\d\d-\d\d\b/g, inWords);
  return said.charAt(0).toUpperCase() + said.slice(1);
}

/** The title of an element: its operation, or its coordinate if it is only a part of an operation. */
export function titleOf({ coordinate, operation }: Pick<ReportEntry, 'coordinate' | 'operation'>): string {
  return operation === undefined || coordinate.endsWith(')') ? coordinate : operation;
}
