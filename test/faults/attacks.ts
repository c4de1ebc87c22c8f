import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Attack, attackerFile, attacks, ORDERED } from './attacker.ts';
import { type Caller, callerFrom, many, type Reply } from './caller.ts';
import { onFilledService } from './filled-service.ts';
import { type Finding, type Scenario, type Size, tally } from './finding.ts';

/** The maximum response times of the others, at the 99th percentile, in milliseconds. */
const READ_SOON = 250;
const WRITTEN_SOON = 500;

/** More than is ever ordered. */
const PLENTY = 1_000_000_000;

const key = () => ({ 'idempotency-key': randomUUID() });

/** The requests of the others, which touch no row of the attack. */
const others: Readonly<
  Record<'reads' | 'writes', readonly ((caller: Caller, n: number, size: Size) => Promise<Reply>)[]>
> = {
  reads: [
    ({ send }, n) => send('GET', `/categories/${1 + (n % 12)}`),
    ({ send }, n, { pets }) => send('GET', `/pets/${pets - (n % 1_000)}`),
    ({ graphql }, n, { pets }) =>
      graphql(`{ pets(first: 1, id: [${pets - (n % 1_000)}]) { nodes { id category { name } } } }`),
  ],
  writes: [
    ({ send }, n, { pets }) => send('PATCH', `/pets/${pets - 1_000 - n}`, { name: `New ${n}` }),
    ({ send }) => send('POST', '/categories', { name: 'New' }),
    ({ send }, n, { pets }) => send('PATCH', `/pets/${pets - 3_000 - n}`, { name: `New ${n}` }, key()),
    ({ graphql }, n, { pets }) =>
      graphql(
        `mutation { ${many(2, (at) => `a${at}: updatePet(petId: ${pets - 5_000 - 2 * n - at}, changes: { name: "New" }) { id }`)} }`,
        key(),
      ),
  ],
};
const READ_EVERY = 25;
const WRITE_EVERY = 60;
/** How late a timer of this process is when the machine has stood still, in milliseconds. */
const STANDSTILL = 200;

/** One caller attacks a service with production settings; another one does its work. */
const attackScenario = ({ name, settings }: Attack): Scenario => ({
  name: `one caller ${name}`,
  run: (size) =>
    onFilledService(size, { NODE_ENV: 'production', AUTH: 'open', ...settings }, async ({ base }) => {
      const other = callerFrom('127.0.0.3', base);
      for (const pet of ORDERED) await other.send('PUT', `/store/inventory/${pet}`, { quantity: PLENTY });
      await workAs(other, size, 500);
      const endAttack = startAttack(name, base);
      const { reads, writes } = await workAs(other, size, size.attack * 1_000);
      const seen = await endAttack();
      other.close();
      const broken = seen.filter((one) => one.startsWith('500'));
      return [
        findingOf('reads by key', reads, READ_SOON * size.patience),
        findingOf('writes of other rows', writes, WRITTEN_SOON * size.patience),
        { promise: 'the attacker gets no 500', measured: tally(seen), holds: broken.length === 0 && seen.length > 0 },
      ];
    }),
});

/** @returns a function that ends the attack and gives the statuses of its responses */
function startAttack(name: string, base: string): () => Promise<readonly string[]> {
  const child = spawn(process.execPath, ['--import', 'tsx', attackerFile, name, base], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let output = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    output += text;
  });
  const closed = once(child, 'close');
  return async () => {
    child.kill('SIGTERM');
    await closed;
    return JSON.parse(output) as string[];
  };
}

function findingOf(what: string, replies: readonly Reply[], max: number): Finding {
  const failed = replies.filter(({ status, text }) => status >= 300 || status === 0 || text.includes('"errors"'));
  const [median, late, maxLength] = [0.5, 0.99, 1].map((part) => percentile(replies, part)) as [number, number, number];
  const failures = `${failed.length} of ${replies.length} failed${failed.length > 0 ? ` (${failed[0]?.text.slice(0, 120)})` : ''}`;
  return {
    promise: `of another caller's ${what} none fails, and 99 % take less than ${max} ms`,
    measured: `${failures}; median ${median.toFixed(0)} ms, 99 % ${late.toFixed(0)} ms, longest ${maxLength.toFixed(0)} ms`,
    holds: failed.length === 0 && late < max && replies.length > 10,
  };
}

function percentile(replies: readonly Reply[], part: number): number {
  const sorted = replies.map(({ took }) => took).sort((one, another) => one - another);
  return sorted[Math.min(sorted.length - 1, Math.floor(part * sorted.length))] ?? Number.POSITIVE_INFINITY;
}

/**
 * Sends at a fixed rate, however long responses take: waiting for each would hide slow periods. Leaves out what was in
 * progress while the machine stood still: then this process, which hardly does anything, did not run either.
 */
async function workAs(caller: Caller, size: Size, duration: number): Promise<{ reads: Reply[]; writes: Reply[] }> {
  const until = performance.now() + duration;
  const stops: number[] = [];
  const doing = async (kind: 'reads' | 'writes', pause: number) => {
    const replies: Promise<Reply & { readonly began: number }>[] = [];
    for (let n = 0; performance.now() < until; n++) {
      const ask = others[kind][n % others[kind].length] as (typeof others.reads)[0];
      const began = performance.now();
      replies.push(ask(caller, n, size).then((reply) => ({ ...reply, began })));
      await sleep(pause);
      if (performance.now() - began > pause + STANDSTILL) stops.push(began + pause);
    }
    return Promise.all(replies);
  };
  const [reads, writes] = await Promise.all([doing('reads', READ_EVERY), doing('writes', WRITE_EVERY)]);
  const whileRunning = ({ began, took }: Reply & { readonly began: number }) =>
    !stops.some((stop) => began <= stop && stop <= began + took);
  return { reads: reads.filter(whileRunning), writes: writes.filter(whileRunning) };
}

export const attackScenarios: readonly Scenario[] = attacks.map(attackScenario);
