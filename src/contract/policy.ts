import { addDays, NOTICE_DAYS, type Stability } from '../engine/lifecycle/annotation.ts';
import type { Change } from './difference.ts';
import type { Standing } from './standing.ts';

const MAY_CHANGE: Verdict = { outcome: 'allowed', why: 'Experimental: it may change.' };

export interface Verdict {
  readonly outcome: 'fails' | 'allowed';
  /** In whole sentences: how far it was promised, and from which day on it is or would be allowed. */
  readonly why: string;
}

/**
 * Judges a change by what the base promised of the thing.
 *
 * - Stable: a break fails; the way is to deprecate, with a sunset at least 180 days ahead.
 * - Beta: the same, with 30 days.
 * - Deprecated: a break fails until the end of the sunset day, and is allowed from the next. A day that was given is
 *   kept whatever the stability: answers have said it to clients. Without a sunset nothing was announced yet.
 * - Experimental: whatever happens to it is allowed.
 * - A sunset that clients have not seen, because it is new, earlier than the one they saw or of a deprecation that
 *   begins later, must lie its full notice from today. Otherwise a mark with a date in the past would get around it.
 *
 * @param standing the thing's standing in the base
 * @param today as `2026-07-01`, in UTC
 */
export function judge({ kind, sunset }: Change, standing: Standing, today: string): Verdict {
  if (kind === 'surprise') {
    return { outcome: 'allowed', why: 'Allowed: clients should be ready for it, but some may not be.' };
  }
  const promised = standing.deprecation?.sunset;
  if (promised !== undefined && today > promised) {
    return { outcome: 'allowed', why: `Deprecated: its sunset, ${promised}, has passed.` };
  }
  return sunset === undefined ? judgeBreak(standing, today) : judgeNotice(sunset, standing.stability, today);
}

function judgeBreak({ stability, deprecation }: Standing, today: string): Verdict {
  if (deprecation?.sunset !== undefined) {
    const allowed = `Allowed from ${addDays(deprecation.sunset, 1)}.`;
    return { outcome: 'fails', why: `Deprecated: served until the end of ${deprecation.sunset}, in UTC. ${allowed}` };
  }
  if (stability === 'experimental') return MAY_CHANGE;
  const sunset = addDays(today, NOTICE_DAYS[stability]);
  const step =
    deprecation === undefined
      ? `${stability === 'beta' ? 'Beta' : 'Stable'}: deprecate it first, with a sunset`
      : 'Deprecated without a sunset: give it one,';
  const allowed = `Allowed from ${addDays(sunset, 1)} at the earliest.`;
  return { outcome: 'fails', why: `${step} of ${sunset} or later (${inDays(NOTICE_DAYS[stability])}). ${allowed}` };
}

function judgeNotice(sunset: string, stability: Stability, today: string): Verdict {
  if (stability === 'experimental') return MAY_CHANGE;
  const earliest = addDays(today, NOTICE_DAYS[stability]);
  const notice = `${stability} things get ${inDays(NOTICE_DAYS[stability])}`;
  return sunset >= earliest
    ? { outcome: 'allowed', why: `Allowed: ${notice}, and ${sunset} is not nearer.` }
    : { outcome: 'fails', why: `Too short a notice: ${notice}. Allowed with a sunset of ${earliest} or later.` };
}

function inDays(days: number): string {
  return `${days} days' notice`;
}
