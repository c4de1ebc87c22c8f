import { WINDOW_DAYS } from '../engine/lifecycle/report.ts';
import type { Finding } from './contract.ts';
import type { Use } from './uses.ts';

const LIST = new Intl.ListFormat('en');

/**
 * The report for people: what fails, what is allowed and worth knowing, and a last line that sums up. What both
 * descriptions say about an element is one entry. `base` is the name of the base.
 */
export function printReport(findings: readonly Finding[], uses: readonly Use[], base: string): string {
  const [failures, notes] = [printEntries(findings, false, uses), printEntries(findings, true, uses)];
  const are = failures.length === 1 ? 'change is' : 'changes are';
  const breaks = `The contract breaks what ${base} promised: ${failures.length} ${are} not allowed.`;
  const verdict = failures.length === 0 ? `The contract keeps what ${base} promised.` : breaks;
  const noted = notes.length === 0 ? '' : notes.length === 1 ? ' 1 note.' : ` ${notes.length} notes.`;
  return [
    ...(failures.length === 0 ? [] : ['NOT ALLOWED', ...failures]),
    ...(notes.length === 0 ? [] : ['NOTES', ...notes]),
    verdict + noted,
  ].join('\n\n');
}

function printEntries(findings: readonly Finding[], isAllowed: boolean, uses: readonly Use[]): string[] {
  const entries = new Map<string, Finding[]>();
  for (const finding of findings.filter((one) => one.isAllowed === isAllowed)) {
    const entry = `${finding.element} ${finding.why}`;
    entries.set(entry, [...(entries.get(entry) ?? []), finding]);
  }
  return [...entries.values()].map((entry) => {
    const title = unique(entry.map(({ coordinate }) => coordinate)).join(' and ');
    const used = uses.filter(({ coordinate }) => coordinate === entry[0]?.element);
    const lines = unique([...entry.map(printChange), ...entry.map(({ why }) => why), ...printUses(used)]);
    return [`  ${title}`, ...lines.map((line) => `    ${line}`)].join('\n');
  });
}

/** Says in which operations a part of a shared component changed. */
function printChange({ coordinate, what, operations = [] }: Finding): string {
  return coordinate.includes(' ') || operations.length === 0 ? what : `${what} In ${LIST.format(operations)}.`;
}

function printUses(uses: readonly Use[]): string[] {
  const clients = uses.map(({ client, uses: count, lastDay }) => {
    const times = count === 1 ? '1 use' : `${count.toLocaleString('en')} uses`;
    return `${client} (${times}, last on ${lastDay})`;
  });
  return clients.length === 0 ? [] : [`Used in the last ${WINDOW_DAYS} days by ${LIST.format(clients)}.`];
}

function unique(texts: readonly string[]): string[] {
  return [...new Set(texts)];
}
