import { execute, GraphQLList, GraphQLObjectType, GraphQLSchema, parse } from 'graphql';
import { expect, test } from 'vitest';
import type { Loader } from '../../../src/engine/db/batch.ts';
import { interpretOperation } from '../../../src/engine/operation/compiled.ts';
import { selectionOf } from '../../../src/engine/operation/selection.ts';
import { readListsAhead, reference } from '../../../src/engine/schema/reference.ts';

/** Lists rows with what each refers to, and what that refers to. */
const document = parse('{ list { nodes { to { to { __typename } } } } }');

function schemaOf(
  rows: readonly object[],
  loader: Partial<Loader<number, object>>,
  resolve: () => unknown = () => Promise.resolve({ rows, nodes: rows }),
): GraphQLSchema {
  const Row: GraphQLObjectType = new GraphQLObjectType({
    name: 'Row',
    fields: () => ({ to: { type: Row, ...reference('to', 'id', () => loader as Loader<number, object>) } }),
  });
  const nodes = { type: new GraphQLList(Row) };
  const connection = { scannedList: () => undefined, defaultPageSize: 20, assertWindow() {} };
  const Rows = new GraphQLObjectType({ name: 'Rows', extensions: { connection }, fields: { nodes } });
  const query = new GraphQLObjectType({ name: 'Query', fields: { list: { type: Rows, resolve } } });
  const schema = new GraphQLSchema({ query });
  readListsAhead(schema);
  return schema;
}

function list(rows: readonly object[], loader: Partial<Loader<number, object>>, resolve?: () => unknown) {
  const selection = selectionOf(schemaOf(rows, loader, resolve), document, undefined);
  return interpretOperation(selection)({}, {} as never);
}

test('a row that was deleted since the list was read is null, and the others are there', async () => {
  const loadMany = async (ids: readonly number[]) => ids.map((id) => (id === 1 ? undefined : { id: null }));
  expect(await list([{ id: 1 }, { id: 2 }], { loadMany })).toEqual({
    data: { list: { nodes: [{ to: null }, { to: { to: null } }] } },
  });
});

test('if rows cannot be read ahead, only those that still cannot be read are errors', async () => {
  const loadMany = () => Promise.reject(new Error('Not now.'));
  const load = async (id: number) => (id === 1 ? Promise.reject(new Error('Never.')) : { id: null });
  expect(await list([{ id: 1 }, { id: 2 }], { loadMany, load })).toMatchObject({
    data: { list: { nodes: [{ to: null }, { to: { to: null } }] } },
    errors: [{ message: 'Never.', path: ['list', 'nodes', 0, 'to'] }],
  });
});

test('a list may be null, and need not be a promise', async () => {
  const loadMany = async (ids: readonly number[]) => ids.map(() => ({ id: null }));
  expect(await list([], { loadMany }, async () => null)).toEqual({ data: { list: null } });
  const rows = [{ id: 1 }];
  expect(await list([], { loadMany }, () => ({ rows, nodes: rows }))).toEqual({
    data: { list: { nodes: [{ to: { to: null } }] } },
  });
});

test('graphql-js alone reads each row when it is resolved', async () => {
  const load = async (id: number) => ({ id: id === 1 ? 3 : null });
  const schema = schemaOf([{ id: 1 }, { id: 2 }], { load });
  expect(await execute({ schema, document, contextValue: {} })).toEqual({
    data: { list: { nodes: [{ to: { to: { __typename: 'Row' } } }, { to: { to: null } }] } },
  });
});
