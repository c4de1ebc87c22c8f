import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { machine } from '../bench/report/machine.ts';
import type { Finding } from './finding.ts';

const file = new URL('./RESULTS.md', import.meta.url);

/** The part of the page about the fuzzer, whose runs take their own time, starts here. */
const FUZZING = '## Fuzzing';

/** Writes the results of a full run to RESULTS.md; the part about the fuzzer stays. */
export function record(found: ReadonlyMap<string, readonly Finding[]>): void {
  const tables = [...found].map(([name, findings]) =>
    [
      `## ${name[0]?.toUpperCase()}${name.slice(1)}`,
      '| Promise | Measured | Holds |',
      '| --- | --- | --- |',
      ...findings.map(({ promise, measured, holds }) => `| ${promise} | ${measured} | ${holds ? 'yes' : 'NO'} |`),
    ].join('\n'),
  );
  const head = `# Faults

What \`npm run test:faults -- --record\` has measured, on ${new Date().toISOString().slice(0, 10)}: ${machine()}, Node ${process.versions.node}.
CI runs it shortened, by \`--quick\`. "200 UNAVAILABLE" is GraphQL's way: the failure is among its errors.`;
  const before = existsSync(file) ? readFileSync(file, 'utf8') : '';
  const fuzzing = before.includes(FUZZING) ? [before.slice(before.indexOf(FUZZING)).trimEnd()] : [];
  writeFileSync(file, `${[head, ...tables, ...fuzzing].join('\n\n')}\n`);
}
