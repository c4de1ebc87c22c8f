import { DAY_MILLISECONDS, toDay } from '../mark.ts';

/** The day that many days later, as `2026-07-01`; earlier for a negative number. */
export function addDays(day: string, days: number): string {
  return toDay(new Date(Date.parse(day) + days * DAY_MILLISECONDS));
}
