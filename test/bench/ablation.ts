import { rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { type Contest, contestsAmongPeers, type Entrant } from './contests/contest.ts';
import type { Build } from './contests/contestant.ts';
import { CREATE, GET, GRAPHQL_GET, GRAPHQL_LIST, LIST, ORDER, UPDATE } from './contests/names.ts';
import { type Edit, editedCopy } from './edit.ts';
import { type Bench, type Effort, measureContest, type Result } from './measure/contest.ts';
import { table } from './report/table.ts';
import { pairedRatio } from './report/verdict.ts';

/** An optimization, and the edit that removes it. */
interface Idea extends Edit {
  readonly name: string;
  /** The contests that it can affect. */
  readonly contests: readonly string[];
}

/** docs/performance.md describes each. */
export const IDEAS: readonly Idea[] = [
  {
    name: 'Every statement is prepared',
    contests: [GET, LIST, CREATE, UPDATE, ORDER, GRAPHQL_LIST],
    file: 'src/engine/db/server.ts',
    replace: 'prepare: true',
    by: 'prepare: false',
  },
  {
    name: 'Reads are batched across requests',
    contests: [GET, LIST, GRAPHQL_GET, GRAPHQL_LIST],
    file: 'src/engine/db/batch.ts',
    replace: 'return (item) =>',
    by: 'if (!/insert|place|update|delete/.test(name)) return (item) => run([item]).then(([value]) => value as never); return (item) =>',
  },
  {
    name: 'Writes are batched across requests',
    contests: [CREATE, UPDATE, ORDER],
    file: 'src/engine/db/batch.ts',
    replace: 'if (others.length === 0)',
    by: 'return items.map((item) => later(item)); if (others.length === 0)',
  },
  {
    name: 'Operations are compiled',
    contests: [GET, LIST, CREATE, GRAPHQL_GET, GRAPHQL_LIST],
    file: 'src/engine/operation/compiled.ts',
    replace: 'if (isUnsupported(selection))',
    by: 'if (true)',
  },
  {
    name: 'Prepared operations are found before Yoga',
    contests: [GRAPHQL_GET, GRAPHQL_LIST],
    file: 'src/engine/graphql/server.ts',
    replace: 'findPrepared(request, params) ?? (await prepare(request, params))',
    by: 'await prepare(request, params)',
  },
  {
    name: 'Sockets are answered without a Request and a Response',
    contests: [GET, CREATE, GRAPHQL_GET],
    file: 'src/engine/service.ts',
    replace:
      "listener: nodeListener(respond, (error) => logger.error({ err: error }, 'a response could not be written'))",
    by: 'listener: createServerAdapter(fetchHandler(respond))',
    imports: "import { createServerAdapter } from '@whatwg-node/server';\n",
  },
  {
    name: 'Lists read ahead what their rows refer to',
    contests: [GRAPHQL_LIST],
    file: 'src/engine/schema/reference.ts',
    replace: 'if (plan.length === 0)',
    by: 'if (true)',
  },
];

/**
 * Measures the service against builds that each lack one optimization, and reports the losses.
 *
 * @param only selects the contests
 * @returns a table in Markdown
 */
export async function measureAblation(service: Build, only: RegExp, effort: Effort, bench: Bench): Promise<string> {
  const root = dirname(service.folder);
  const builds = IDEAS.map((idea) => ({ name: idea.name, folder: join(editedCopy(root, idea), 'dist') }));
  try {
    const rows: string[][] = [];
    for (const contest of contestsAmongPeers([service, ...builds])) {
      const ideas = IDEAS.filter(({ contests }) => contests.includes(contest.name)).map(({ name }) => name);
      if (ideas.length === 0 || !only.test(contest.name)) continue;
      const isIn = ({ name }: Entrant) => name === service.name || ideas.includes(name);
      const duel = { ...contest, entrants: contest.entrants.filter(isIn), targets: {} };
      bench.say(`\n${contest.name}`);
      rows.push(...lossesOf(duel, await measureContest(duel, effort, bench)));
    }
    return table(['Without this', 'Workload', 'Lost'], rows);
  } finally {
    for (const { folder } of builds) rmSync(dirname(folder), { recursive: true });
  }
}

function lossesOf({ name }: Contest, [whole, ...parts]: readonly Result[]): string[][] {
  return parts.map((part) => {
    const lost = 1 - pairedRatio(part, whole as Result).rate;
    return [part.entrant.name, name, `${Math.round(lost * 100)} %`];
  });
}
