import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type Contract, compareContracts, readContract } from './contract.ts';
import { defaultBase, find, isRepository, isShallow, type Revision, read } from './history.ts';
import { printReport } from './report.ts';
import type { Use } from './uses.ts';

const GRAPHQL = 'schema/schema.graphql';
const OPENAPI = 'schema/openapi.json';

interface Options {
  readonly folder: string;
  /** The revision to compare with. @default the newest release, or the parent */
  readonly base: string | undefined;
  /** As `2026-07-01`, in UTC. */
  readonly today: string;
  readonly usesOf: (coordinates: readonly string[]) => Promise<readonly Use[]>;
}

export type Outcome = Awaited<ReturnType<typeof checkContract>>;

/**
 * Compares `schema/` in the work tree with a base; without a base, no promise is broken. Throws an error of one line
 * when one of them can't be read.
 */
export async function checkContract({ folder, base: name, today, usesOf }: Options) {
  const base = await readBase(folder, name);
  if (typeof base === 'string') {
    if (name !== undefined) throw new Error(base);
    return { isKept: true, report: base };
  }
  const [graphql, openApi] = [await readCurrent(folder, GRAPHQL), await readCurrent(folder, OPENAPI)];
  const findings = await compareContracts(base.contract, parse('the work tree', graphql, openApi), today);
  const uses = findings.length === 0 ? [] : await usesOf([...new Set(findings.map(({ element }) => element))]);
  const report = printReport(findings, uses, base.revision.name);
  return {
    isKept: findings.every(({ isAllowed }) => isAllowed),
    report: `schema/ compared with ${show(base.revision)}, on ${today} in UTC.\n\n${report}`,
  };
}

/** The base and its contract, or why nothing can be compared. */
async function readBase(
  folder: string,
  name: string | undefined,
): Promise<{ readonly revision: Revision; readonly contract: Contract } | string> {
  if (name === undefined && !(await isRepository(folder))) {
    return 'Nothing was compared: this is not a Git repository, so it has no base.';
  }
  const revision = name === undefined ? await defaultBase(folder) : await find(folder, name);
  if (revision === undefined) {
    const shallow = await isShallow(folder);
    const help = shallow ? ' This clone is shallow: `git fetch --unshallow --tags` brings the rest.' : '';
    if (name !== undefined) return `There is no revision ${name} in this clone.${help}`;
    const end = shallow ? '.' : ', so nothing was promised yet.';
    return `Nothing was compared: there is neither a release nor a parent${end}${help}`;
  }
  const [graphql, openApi] = [await read(folder, revision, GRAPHQL), await read(folder, revision, OPENAPI)];
  if (graphql === undefined || openApi === undefined) {
    const missing = graphql === undefined ? GRAPHQL : OPENAPI;
    return `Nothing was compared: ${show(revision)} lacks ${missing}. Name a base that has it with --base REVISION.`;
  }
  return { revision, contract: parse(show(revision), graphql, openApi) };
}

async function readCurrent(folder: string, path: string): Promise<string> {
  return readFile(join(folder, path), 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'ENOENT') throw error;
    throw new Error(`The work tree lacks ${path}: npm run schema writes it.`, { cause: error });
  });
}

function parse(where: string, graphql: string, openApi: string): Contract {
  try {
    return readContract(graphql, openApi);
  } catch (error) {
    const reason = (error as Error).message.replaceAll(/\s*\n\s*/g, ' ');
    throw new Error(`schema/ of ${where} cannot be read: ${reason}`, { cause: error });
  }
}

function show({ name, commit }: Revision): string {
  return `${name} (${commit.slice(0, 7)})`;
}
