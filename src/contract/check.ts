import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { serializeEnumValue } from '../engine/rest/parameters.ts';
import { History, type Revision } from './base.ts';
import { type Contract, compareContracts, readContract } from './compare.ts';
import { coordinatesOf, entriesOf, printReport, type Use } from './report.ts';

const GRAPHQL = 'schema/schema.graphql';
const OPENAPI = 'schema/openapi.json';

interface Check {
  /** The folder that `schema/` is in. */
  readonly folder: string;
  /** The revision to compare with, instead of the newest release or the parent. */
  readonly base: string | undefined;
  /** As `2026-07-01`, in UTC. */
  readonly today: string;
  /** Tells who used the coordinates lately. */
  readonly usesOf: (coordinates: readonly string[]) => Promise<readonly Use[]>;
}

export interface Outcome {
  /** Whether what the base promised is kept; also where there is nothing that promised anything. */
  readonly isKept: boolean;
  /** For people. */
  readonly report: string;
}

/**
 * Holds `schema/` as it is in the work tree to what it was in a base.
 *
 * @throws {Error} with one clear line when the base that is named is none, or a description cannot be read
 */
export async function checkContract({ folder, base: name, today, usesOf }: Check): Promise<Outcome> {
  const history = new History(folder);
  if (name === undefined && !(await history.exists())) {
    return { isKept: true, report: 'Nothing was compared: this is no git repository, and so has no base.' };
  }
  const base = name === undefined ? await history.defaultBase() : await history.find(name);
  if (base === undefined && name !== undefined) throw new Error(`There is no revision ${name} in this clone.`);
  if (base === undefined) return { isKept: true, report: await whyNoBase(history) };
  const before = await contractOf(history, base);
  if (before === undefined) {
    const report = `Nothing was compared: ${shown(base)} lacks ${GRAPHQL} or ${OPENAPI}.`;
    // Before the contract was first committed nothing was promised; but who names a base means one that has it.
    if (name !== undefined) throw new Error(report);
    return { isKept: true, report };
  }
  const [graphql, openApi] = [
    await readFile(join(folder, GRAPHQL), 'utf8'),
    await readFile(join(folder, OPENAPI), 'utf8'),
  ];
  const now = parse('the work tree', graphql, openApi);
  const entries = entriesOf(await compareContracts(before, now, serializeEnumValue, today));
  const uses = entries.length === 0 ? [] : await usesOf(entries.flatMap(coordinatesOf));
  return {
    isKept: entries.every(({ verdict }) => verdict.outcome === 'allowed'),
    report: `schema/ compared with ${shown(base)}, on ${today} in UTC.\n\n${printReport(entries, uses, base.name)}`,
  };
}

async function whyNoBase(history: History): Promise<string> {
  return (await history.isShallow())
    ? 'Nothing was compared: this clone is shallow, and has neither a release nor the parent. `git fetch --unshallow --tags` brings them.'
    : 'Nothing was compared: there is neither a release nor a parent, so nothing was promised yet.';
}

async function contractOf(history: History, base: Revision): Promise<Contract | undefined> {
  const [graphql, openApi] = [await history.read(base, GRAPHQL), await history.read(base, OPENAPI)];
  return graphql === undefined || openApi === undefined ? undefined : parse(shown(base), graphql, openApi);
}

function parse(where: string, graphql: string, openApi: string): Contract {
  try {
    return readContract(graphql, openApi);
  } catch (error) {
    const reason = error instanceof Error ? error.message.replaceAll(/\s*\n\s*/g, ' ') : String(error);
    throw new Error(`schema/ of ${where} cannot be read: ${reason}`, { cause: error });
  }
}

function shown({ name, commit }: Revision): string {
  return `${name} (${commit.slice(0, 7)})`;
}
