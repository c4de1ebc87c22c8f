import { WINDOW_DAYS } from '../engine/lifecycle/report.ts';
import type { Finding } from './compare.ts';
import type { Difference } from './difference.ts';
import type { Verdict } from './policy.ts';

/** What happened to one thing, whichever of the descriptions tell of it. */
interface Entry {
  readonly verdict: Verdict;
  readonly differences: readonly Difference[];
}

/** What one client used one thing, in the last 30 days. */
export interface Use {
  readonly coordinate: string;
  readonly client: string;
  readonly uses: number;
  /** As `2026-07-01`, in UTC. */
  readonly lastDay: string;
}

const MAX_OPERATIONS = 3;

/** Puts together what both descriptions tell of the same thing. */
export function entriesOf(findings: readonly Finding[]): Entry[] {
  const entries = new Map<string, Entry>();
  for (const { difference, verdict } of findings) {
    const identity = [difference.counterpart ?? difference.coordinate, verdict.why].join('\n');
    const differences = [...(entries.get(identity)?.differences ?? []), difference];
    entries.set(identity, { verdict, differences });
  }
  return [...entries.values()];
}

/** All the names of an entry, under which its uses may be known. */
export function coordinatesOf({ differences }: Entry): string[] {
  return unique(differences.flatMap(({ counterpart, coordinate }) => [counterpart ?? coordinate, coordinate]));
}

/**
 * The report for people: what fails, what is allowed and worth knowing, and a last line that sums up.
 *
 * @param base what the base is called
 * @param uses of all the entries
 */
export function printReport(entries: readonly Entry[], uses: readonly Use[], base: string): string {
  const failing = entries.filter(({ verdict }) => verdict.outcome === 'fails');
  const allowed = entries.filter(({ verdict }) => verdict.outcome === 'allowed');
  const sections = [
    ...(failing.length > 0 ? ['NOT ALLOWED', ...failing.map((entry) => printEntry(entry, uses))] : []),
    ...(allowed.length > 0 ? ['NOTES', ...allowed.map((entry) => printEntry(entry, uses))] : []),
    summary(failing.length, allowed.length, base),
  ];
  return sections.join('\n\n');
}

function summary(failing: number, allowed: number, base: string): string {
  const notes = allowed === 0 ? '' : ` ${counted(allowed, 'note')}.`;
  if (failing > 0)
    return `The contract breaks what ${base} promised: ${counted(failing, 'change is', 'changes are')} not allowed.${notes}`;
  return `The contract keeps what ${base} promised.${notes}`;
}

function printEntry(entry: Entry, uses: readonly Use[]): string {
  const lines = [...unique(entry.differences.map(({ what }) => what)), entry.verdict.why, ...printUses(entry, uses)];
  return [`  ${titleOf(entry)}`, ...lines.map((line) => `    ${line}`)].join('\n');
}

/** `Query.pet and GET /pets/{petId}`; or, for what has one name everywhere, `Pet.name in GraphQL, GET /pets, …`. */
function titleOf({ differences }: Entry): string {
  const names = unique(differences.map(({ coordinate }) => coordinate));
  return names
    .map((name) => {
      const named = differences.filter(({ coordinate }) => coordinate === name);
      const operations = unique(named.flatMap(({ operations = [] }) => operations));
      if (name.includes(' ') || operations.length === 0) return name;
      const more = operations.length - MAX_OPERATIONS;
      const places = [
        ...(named.some(({ protocol }) => protocol === 'graphql') ? ['GraphQL'] : []),
        ...operations.slice(0, MAX_OPERATIONS),
        ...(more > 0 ? [counted(more, 'more operation')] : []),
      ];
      return `${name} in ${listed(places)}`;
    })
    .join(' and ');
}

function printUses(entry: Entry, uses: readonly Use[]): string[] {
  const coordinates = coordinatesOf(entry);
  const byClient = new Map<string, { count: number; last: string }>();
  for (const { coordinate, client, uses: count, lastDay } of uses) {
    if (!coordinates.includes(coordinate)) continue;
    const before = byClient.get(client) ?? { count: 0, last: '' };
    byClient.set(client, { count: before.count + count, last: lastDay > before.last ? lastDay : before.last });
  }
  if (byClient.size === 0) return [];
  const clients = [...byClient].map(
    ([client, { count, last }]) =>
      `${client} (${count.toLocaleString('en')} ${count === 1 ? 'use' : 'uses'}, last on ${last})`,
  );
  return [`Used in the last ${WINDOW_DAYS} days by ${listed(clients)}.`];
}

function counted(count: number, one: string, many = `${one}s`): string {
  return `${count} ${count === 1 ? one : many}`;
}

function listed(texts: readonly string[]): string {
  const last = texts.at(-1) ?? '';
  return texts.length < 2 ? last : `${texts.slice(0, -1).join(', ')} and ${last}`;
}

function unique(texts: readonly string[]): string[] {
  return [...new Set(texts)];
}
