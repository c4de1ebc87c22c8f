import { sql } from 'drizzle-orm';
import { type GraphQLField, getNamedType, isEnumType, isNonNullType } from 'graphql';
import { beforeAll, describe, expect, test } from 'vitest';
import type { StatementKind } from '../../../src/engine/db/driver.ts';
import { petStoreService } from '../../../src/petstore/service.ts';
import { isWhole } from '../../support/cases.ts';
import { databaseKind } from '../../support/database.ts';
import { PLANNINGS, type Plan } from '../../support/plans.ts';
import { ask } from '../graphql/ask.ts';
import { testFromStart, testKeys } from './plans/by-key.ts';
import { testFarEnd } from './plans/far-end.ts';
import { app, startFilledApp } from './plans/filled.ts';

const { schema } = petStoreService;

const PAGE = 20;
/** Three times the rows that a search reads before it uses its filters; for pets without an entry, once more. */
const FEW = 7_500;

/** For every filter a value of many rows and one of few; and a row in the middle, where a page may begin. */
const LISTS: Readonly<
  Record<
    string,
    {
      filters: Readonly<Record<string, [many: string, few: string]>>;
      middle: string;
      always?: string;
      statements?: number;
    }
  >
> = {
  pets: {
    filters: {
      id: ['[1, 9000, 19000]', '[9000]'],
      status: ['[available, sold]', '[pending]'],
      categoryId: ['[2, 5]', '[13]'],
      name: ['"b"', '"zora"'],
    },
    middle: 'id: [10001]',
  },
  categories: {
    filters: { id: ['[1, 700, 4000]', '[700]'], name: ['"category"', '"category 77"'] },
    middle: 'id: [3000]',
  },
  orders: {
    filters: {
      id: ['[1, 500, 5500]', '[500]'],
      petId: ['[10, 20, 19000]', '[20]'],
      complete: ['false', 'true'],
      shipDateFrom: ['"2020-01-01T00:00:00Z"', '"2999-01-01T00:00:00Z"'],
      shipDateTo: ['"2999-01-01T00:00:00Z"', '"2020-01-01T00:00:00Z"'],
    },
    middle: 'id: [3000]',
  },
  webhooks: { filters: { id: ['[1, 40, 90]', '[40]'] }, middle: 'id: [50]' },
  deliveries: {
    filters: { status: ['[pending, delivered]', '[failed]'] },
    middle: 'status: [failed] last: 6',
    always: 'webhookId: 3',
    // The webhook is looked up, too.
    statements: 2,
  },
  inventory: {
    filters: { petId: ['[1, 9001, 19001]', '[9001]'], status: ['[available, sold]', '[pending]'] },
    middle: 'petId: [10001]',
  },
};
const ARGUMENTS_OF_PAGING = ['sort', 'first', 'last', 'after', 'before'];

interface Asked extends Plan {
  readonly query: string;
}

type ListField = GraphQLField<unknown, unknown>;

const lists: ListField[] = Object.values(schema.getQueryType()?.getFields() ?? {}).filter(({ type }) =>
  getNamedType(type).name.endsWith('Connection'),
);

function sortsOf({ args }: ListField): string[] {
  const sort = args.find(({ name }) => name === 'sort');
  const type = sort && getNamedType(sort.type);
  return isEnumType(type) ? type.getValues().map(({ name }) => `sort: ${name}`) : [''];
}

const sorted = lists.flatMap((field) =>
  sortsOf(field).map((sort): [title: string, field: ListField, sort: string] => [
    sort === '' ? field.name : `${field.name}, ${sort}`,
    field,
    sort,
  ]),
);

function inWords({ query, planning, words }: Asked): string {
  return `${query}, ${planning}: ${words}`;
}

function pairs<Item>(items: readonly Item[]): [Item, Item][] {
  return items.flatMap((one, index) => items.slice(index + 1).map((two): [Item, Item] => [one, two]));
}

startFilledApp();

describe('with rows of all kinds everywhere,', () => {
  describe.each(sorted)('each page of %s', (_, field, sort) => {
    const { name: list, args } = field;
    const { filters = {}, middle = '', always = '', statements = 1 } = LISTS[list] ?? {};
    let cursor: string;

    beforeAll(async () => {
      const answer = await ask(app, `{ ${list}(${always} ${middle} ${sort}) { edges { cursor } } }`);
      cursor = answer[list].edges[0].cursor;
    });

    async function pages(windows: readonly string[], given = ''): Promise<Asked[]> {
      const asked: Asked[] = [];
      for (const window of windows) {
        const query = `{ ${list}(${always} ${given} ${sort} ${window}: ${PAGE}) { nodes { __typename } } }`;
        const plans = await app.plansOf(() => ask(app, query));
        // Otherwise uses of annotated lists would be stored later, among the statements of another page.
        await app.flush();
        expect(plans).toHaveLength(PLANNINGS.length * statements);
        asked.push(...plans.map((plan) => ({ query, ...plan })));
      }
      return asked;
    }

    test('is read by an index: its own rows and hardly any other, wherever the page is', async () => {
      // One more row shows whether there is a next page. One pet in ten has an entry, so the others may be skipped.
      const most = (PAGE + 1) * (list === 'inventory' ? 12 : 1) + (statements - 1) * 100;
      // Those of a webhook are read in their order, and sorted as if there could be several webhooks.
      const mostSorted = always === '' ? 0 : PAGE + 1;
      const asked = await pages(['first', 'last', `after: "${cursor}", first`, `before: "${cursor}", last`]);
      expect(asked.filter(({ scans }) => scans > 0).map(inWords)).toEqual([]);
      expect(
        asked.filter(({ rowsSorted, rowsRead }) => rowsSorted > mostSorted || rowsRead > most).map(inWords),
      ).toEqual([]);
    });

    test('is read by an index with each filter, and with any two filters', async () => {
      expect(Object.keys(filters), 'Add values of the filter to LISTS, above').toEqual(
        args
          .filter(({ type }) => !isNonNullType(type))
          .map(({ name }) => name)
          .filter((name) => !ARGUMENTS_OF_PAGING.includes(name)),
      );
      const given = Object.entries(filters).map(([name, values]) => values.map((value) => `${name}: ${value}`));
      // Each two filters with one of the orders, or with all of them.
      const orders = sortsOf(field);
      const own = pairs(given).filter((_, n) => isWhole || n % orders.length === orders.indexOf(sort));
      const two = own.map(([[one], [other]]) => `${one} ${other}`);
      for (const some of [...given.flat(), ...two]) {
        const asked = await pages(['first', `before: "${cursor}", last`], some);
        expect(asked.filter(({ scans, rowsRead }) => scans > 0 && rowsRead > FEW).map(inWords)).toEqual([]);
        // If no index fits, some rows are read in the order of the list, and then those that an index on a filter finds.
        expect(asked.filter(({ rowsSorted }) => rowsSorted > FEW).map(inWords)).toEqual([]);
        const forItsValues = asked.filter(({ planning }) => planning === 'force_custom_plan');
        const most = list === 'inventory' ? 3 * FEW : FEW;
        expect(forItsValues.filter(({ rowsRead }) => rowsRead > most).map(inWords)).toEqual([]);
      }
    });
  });

  testKeys();
});
describe('with rows at one end,', testFarEnd);
// The last: from its start on, the app works beside its requests.
describe('from its start on,', testFromStart);

// The embedded database can't do either.
if (databaseKind === 'server') {
  test.each<StatementKind>(['lookup', 'list', 'count', 'write'])(
    'the server neither compiles the plan of a %s nor shares it among processes, and only counts scan tables',
    async (kind) => {
      const settings = app.database.statement(
        'settings',
        kind,
        sql`select current_setting('jit'), current_setting('max_parallel_workers_per_gather'),
          current_setting('enable_seqscan')`,
        { jit: String, workers: String, scans: String },
      );
      expect(await settings()).toEqual([{ jit: 'off', workers: '0', scans: kind === 'count' ? 'on' : 'off' }]);
    },
  );
}
