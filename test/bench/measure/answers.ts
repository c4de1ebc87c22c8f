import { isDeepStrictEqual } from 'node:util';
import type { Entrant } from '../contests/contest.ts';
import { ask, type PlainAnswer, type PlainRequest } from '../contests/request.ts';
import type { Workload } from '../contests/workload.ts';

/** A running entrant, with the requests in its dialect. */
export interface Started {
  readonly entrant: Entrant;
  readonly base: string;
  readonly requests: readonly PlainRequest[];
}

/** The number of requests whose responses are compared. */
const SAMPLES = 32;

/**
 * Sends the same requests to every entrant, and compares the whole responses, so that all do the same work.
 *
 * @throws {Error} with both responses if two differ
 */
export async function assertSameAnswers(workload: Workload, started: readonly Started[]): Promise<void> {
  const [first, ...others] = started.filter(({ entrant }) => !entrant.contestant.isConstant);
  if (first === undefined) return;
  const step = Math.max(1, Math.floor(first.requests.length / SAMPLES));
  for (let at = 0; at < first.requests.length; at += step) {
    const expected = await answerOf(first, first.requests[at] as PlainRequest, workload);
    for (const other of others) {
      const found = await answerOf(other, other.requests[at] as PlainRequest, workload);
      if (!isDeepStrictEqual(found, expected)) throw differs(first, expected, other, found, other.requests[at]);
    }
  }
  for (const rejection of workload.rejections ?? []) {
    const expected = await ask(first.base, rejection);
    for (const other of others) {
      const found = await ask(other.base, rejection);
      if (found.status !== expected.status) throw differs(first, expected, other, found, rejection);
    }
  }
}

/** Checks the responses of each entrant separately, for entrants with different data. */
export async function assertAnswers(workload: Workload, started: readonly Started[]): Promise<void> {
  for (const one of started) await assertSameAnswers(workload, [one]);
}

async function answerOf({ entrant, base }: Started, request: PlainRequest, workload: Workload): Promise<PlainAnswer> {
  const answer = entrant.contestant.dialect.read(await ask(base, request));
  const isGraphQLFailure = (answer.body as { errors?: unknown } | null)?.errors !== undefined;
  if (answer.status >= 300 || isGraphQLFailure) {
    throw new Error(`${entrant.name} rejected ${shown(request)} with ${shown(answer)}`);
  }
  return workload.effect === 'creates' ? { ...answer, body: withoutIds(answer.body) } : answer;
}

/** The ids of created rows differ, but each must be present. */
function withoutIds(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).map(([name, item]) =>
    name === 'id' ? [name, typeof item] : [name, withoutIds(item)],
  );
  return Object.fromEntries(entries);
}

function differs(one: Started, expected: PlainAnswer, other: Started, found: PlainAnswer, request: unknown): Error {
  const lines = [
    `The contest would not be fair, for ${one.entrant.name} and ${other.entrant.name} answer differently to`,
    `  ${shown(request)}`,
    `${one.entrant.name}:`,
    `  ${shown(expected)}`,
    `${other.entrant.name}:`,
    `  ${shown(found)}`,
  ];
  return new Error(lines.join('\n'));
}

function shown(value: unknown): string {
  return JSON.stringify(value);
}
