import { addDays, NOTICE_DAYS } from '../engine/lifecycle/annotation.ts';
import type { Change } from './change.ts';
import type { Lifecycle } from './lifecycle.ts';

export interface Verdict {
  readonly isAllowed: boolean;
  /** In whole sentences: what was promised, and from which day on the change is or would be allowed. */
  readonly why: string;
}

/**
 * Judges a change by what the base promised about the element; docs/contract-changes.md has the rules. The notice counts
 * from today, because an annotation with dates in the past would evade it.
 *
 * @param isNew whether the base lacks the element or does not require it, and the lifecycle is that of its parent
 */
export function judge(
  { kind, sunset, parent }: Change,
  { stability, deprecation }: Lifecycle,
  today: string,
  isNew = false,
): Verdict {
  if (kind === 'surprise') return allowed('Allowed: clients should be ready for it, but some may not be.');
  const promised = deprecation?.sunset;
  if (promised !== undefined && today > promised) return allowed(`Deprecated: its sunset, ${promised}, has passed.`);
  if (kind === 'break' && promised !== undefined)
    return rejected(`Deprecated: served until the end of ${promised}, in UTC. Allowed from ${addDays(promised, 1)}.`);
  if (stability === 'experimental') return allowed('Experimental: it may change.');
  const days = NOTICE_DAYS[stability];
  const earliest = addDays(today, days);
  if (sunset !== undefined) {
    const notice = `${stability} things get ${days} days' notice`;
    if (sunset >= earliest) return allowed(`Allowed: ${notice}, and ${sunset} is not nearer.`);
    return rejected(`Too short a notice: ${notice}. Allowed with a sunset of ${earliest} or later.`);
  }
  const what = isNew ? ofNew(parent ?? '') : 'it';
  const orOptional = isNew ? 'make it optional, or ' : '';
  const step = deprecation
    ? `Deprecated without a sunset: give ${what} one,`
    : `${stability === 'beta' ? 'Beta' : 'Stable'}: ${orOptional}deprecate ${what} first, with a sunset`;
  const from = `Allowed from ${addDays(earliest, 1)} at the earliest.`;
  return rejected(`${step} of ${earliest} or later (${days} days' notice). ${from}`);
}

/** What to deprecate where something new is required: its parent, or the elements that take that type. */
function ofNew(parent: string): string {
  return /[. ]/.test(parent) ? parent : `what takes ${parent}`;
}

function allowed(why: string): Verdict {
  return { isAllowed: true, why };
}

function rejected(why: string): Verdict {
  return { isAllowed: false, why };
}
