import { setFlagsFromString } from 'node:v8';
import { expect, test } from 'vitest';
import { ANONYMOUS, OPEN_ACCESS } from '../../src/engine/auth/access.ts';
import { createAuthentication } from '../../src/engine/auth/authentication.ts';
import type { IncomingRequest } from '../../src/engine/http/incoming.ts';
import { byCoordinate } from '../../src/engine/lifecycle/enforcement.ts';
import { createConcurrencyLimiter } from '../../src/engine/limits/concurrency.ts';
import { CpuThrottle } from '../../src/engine/limits/cpu-throttle.ts';
import { Meter } from '../../src/engine/limits/meter.ts';
import { listCosts } from '../../src/engine/limits/units.ts';
import { createExecutor } from '../../src/engine/operation/execute.ts';
import type { PreparedOperation } from '../../src/engine/operation/prepared.ts';
import type { Context } from '../../src/engine/schema/context.ts';
import { openBookshop } from '../support/bookshop.ts';

// A hidden class of each request takes time, and is freed by a major garbage collection only.
setFlagsFromString('--allow-natives-syntax');
const haveSameHiddenClass = new Function('one', 'other', 'return %HaveSameMap(one, other)') as (
  one: object,
  other: object,
) => boolean;

/** The last two of many, because V8 makes objects in another way after some calls. */
async function lastTwo<T>(make: () => Promise<T>): Promise<[T, T]> {
  for (let n = 0; n < 100; n++) await make();
  return [await make(), await make()];
}

test('the answers of GraphQL share a hidden class', async () => {
  const { graphqlAnswer } = openBookshop();
  const [one, other] = await lastTwo(() => graphqlAnswer('{ books { id } }'));
  expect(haveSameHiddenClass(one, other)).toBe(true);
});

test.each([false, true])(
  'the contexts of changes share a hidden class; several changes: %s',
  async (changesSeveral) => {
    const concurrency = createConcurrencyLimiter(10, 10_000);
    const context: Context = Object.assign({} as Context, { books: {}, authors: {} });
    const executeOperation = createExecutor({
      context,
      authentication: createAuthentication(OPEN_ACCESS, concurrency),
      concurrency,
      enforceLifecycle: () => {},
      // No request has a key.
      idempotency: { answer: (_, work) => work(context), begin: () => {}, end: async () => {} },
      costs: listCosts(() => []),
      onChange: () => {},
    });
    const [one, other] = await lastTwo(async () => {
      let seen: object | undefined;
      const operation = {
        kind: 'change',
        changesSeveral,
        scopes: [],
        uses: { always: [], given: () => [] },
        cost: () => ({ units: 0, bytes: 0 }),
        validate: () => [],
        run: (_, context) => {
          seen = context;
          return {};
        },
      } as Partial<PreparedOperation> as PreparedOperation;
      const request = {
        id: 'r',
        headers: new Headers(),
        meter: new Meter('anybody', undefined, new CpuThrottle(1)),
        isAborted: () => false,
      } as Partial<IncomingRequest> as IncomingRequest;
      const outcome = { reply: { status: 200, headers: [], body: null }, error: undefined };
      await executeOperation(operation, {
        request,
        caller: ANONYMOUS,
        labels: byCoordinate,
        variables: () => ({}),
        fingerprint: () => '',
        reject: () => outcome,
        open: undefined,
        reply: () => outcome,
      });
      return seen as object;
    });
    expect(haveSameHiddenClass(one, other)).toBe(true);
  },
);
