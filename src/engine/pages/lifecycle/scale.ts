import { inShort } from './format.ts';

/** A timeline, from 0 at its left end to 100 at its right end. */
export interface TimeScale {
  /** The position of an instant, in percent; an instant outside is at the nearer end. */
  at(instant: Date): number;
  readonly ticks: readonly Tick[];
}

interface Tick {
  readonly at: number;
  readonly label: string;
  /** Whether its label is shown even on a phone. */
  readonly isMajor: boolean;
}

const MAX_STEPS = 8;

/** Creates the timeline of whole months that contains all the instants; there must be at least one. */
export function timeScale(instants: readonly Date[]): TimeScale {
  const months = instants.map(monthOf);
  const first = Math.min(...months);
  const last = Math.max(...months) + 1;
  const [left, right] = [startOf(first).getTime(), startOf(last).getTime()];
  const at = (instant: Date) => {
    const share = (instant.getTime() - left) / (right - left);
    return Math.round(Math.min(Math.max(share, 0), 1) * 100_000) / 1_000;
  };
  return { at, ticks: ticksOf(first, last).map((tick) => ({ ...tick, at: at(startOf(tick.month)) })) };
}

function ticksOf(first: number, last: number): (Omit<Tick, 'at'> & { readonly month: number })[] {
  let step = 1;
  // A month, a quarter, half a year, a year, and further powers of two.
  while ((last - first) / step > MAX_STEPS) step = step === 1 ? 3 : step * 2;
  const begin = Math.ceil(first / step);
  return Array.from({ length: Math.floor(last / step) - begin + 1 }, (_, index) => {
    const month = (begin + index) * step;
    const [name, year] = inShort(startOf(month).toISOString()).split(' ').slice(1) as [string, string];
    // The labels show the year where a year or the timeline starts.
    const label = step >= 12 ? year : index < 2 || month % 12 === 0 ? `${name} ${year}` : name;
    return { month, label, isMajor: (month / step) % 2 === 0 };
  });
}

function monthOf(instant: Date): number {
  return instant.getUTCFullYear() * 12 + instant.getUTCMonth();
}

function startOf(month: number): Date {
  const instant = new Date(0);
  instant.setUTCFullYear(Math.floor(month / 12), month % 12, 1);
  return instant;
}
