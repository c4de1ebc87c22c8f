import { readFileSync } from 'node:fs';
import { inspect } from 'node:util';
import fc from 'fast-check';
import {
  buildSchema,
  execute,
  type GraphQLSchema,
  isAbstractType,
  isLeafType,
  isListType,
  isObjectType,
  isScalarType,
  parse,
  valueFromASTUntyped,
} from 'graphql';
import { compileQuery, isCompiledQuery } from 'graphql-jit';
import { describe, expect, test } from 'vitest';
import { routesOf } from '../../../src/engine/application.ts';
import { compileOperation } from '../../../src/engine/operation/compiled.ts';
import { isUnsupported } from '../../../src/engine/operation/compiler-bugs.ts';
import { selectionOf } from '../../../src/engine/operation/selection.ts';
import { compileRoutes } from '../../../src/engine/rest/compile.ts';
import { petStoreService } from '../../../src/petstore/service.ts';
import { serviceDialect } from '../../bench/contests/dialect.ts';
import { answerOf } from '../../fuzz/agreement.ts';
import { checkZooDocument, ignoringAbandonedRejections, zooDocuments } from '../../fuzz/equivalence.ts';
import { isWhole } from '../../support/cases.ts';

const { schema } = petStoreService;

const NO_CONTEXT = undefined as never;

test('for any schema and operation, a compiled operation returns what the specification requires', async () => {
  const seen = { compiled: 0, interpreted: 0, rejected: 0 };
  const property = fc.asyncProperty(zooDocuments, async (asked) => {
    seen[await checkZooDocument(asked)]++;
  });
  const numRuns = isWhole ? 500 : 200;
  await ignoringAbandonedRejections(() => fc.assert(property, { numRuns, interruptAfterTimeLimit: 60_000 }));
  expect(seen.compiled).toBeGreaterThan(50);
});

describe('an operation that the compiler would run wrongly is interpreted', () => {
  const named = 'type Query { q: Query, name: String, b: String }';
  const given = `type Query { f(n: Int, i: I, p: P, s: String, j: Json): String }
    input I { n: Int = 1 } input P @oneOf { n: Int, m: Int } scalar Json`;
  const NAN = '__MAGIC_NAN__57f286b9_4c20_487f_b409_79804ddcb4f8';

  test.each<[about: string, sdl: string, query: string, variables?: Readonly<Record<string, unknown>>]>([
    [
      'a fragment that is left out at one of its spreads',
      named,
      '{ ...X @include(if: false) ...X } fragment X on Query { name }',
    ],
    [
      'a fragment that is left out in another place',
      named,
      '{ a: q { ...X @include(if: false) } b: q { ...X } } fragment X on Query { q { name } }',
    ],
    ['a key whose first field is left out', named, '{ name @skip(if: true) b name }'],
    [
      'selections within a field that is left out',
      named,
      '{ q { b } q @skip(if: true) { ...X } } fragment X on Query { name }',
    ],
    ['a string with a special meaning for the compiler', given, `{ f(s: "${NAN}") }`],
    ['such a string within a literal of a custom scalar', given, `{ f(j: [{ a: "${NAN}" }]) }`],
    ['such a name in a literal of a custom scalar', given, `{ f(j: { ${NAN}: 1 }) }`],
    ['the name __proto__ in a literal of a custom scalar', given, '{ f(j: { __proto__: { a: 1 } }) }'],
    ['minus zero', given, '{ f(j: -0.0) }'],
    ['infinity as the default of a variable', given, 'query ($j: Json = 1e999) { f(j: $j) }'],
    ['minus zero as the default of a variable', given, 'query ($j: Json = -0.0) { f(j: $j) }'],
    [
      'a date as the default of a variable',
      'scalar Moment type Query { f(at: Moment): String }',
      'query ($at: Moment = "2026-11-21") { f(at: $at) }',
    ],
    ['minus zero as the default of an argument', 'scalar Json type Query { f(j: Json = -0.0): String }', '{ f }'],
    ['minus zero in the default of an argument', 'scalar Json type Query { f(j: Json = [1, -0.0]): String }', '{ f }'],
    [
      'minus zero as the default of an input field',
      'scalar Json input I { j: Json = -0.0 } type Query { f(i: I): String }',
      'query ($i: I) { f(i: $i) }',
      { i: {} },
    ],
    ['an absent variable in an object', given, 'query ($n: Int) { f(i: { n: $n }) }'],
    ['a variable in a literal of a custom scalar', given, 'query ($j: Json) { f(j: [$j]) }', { j: 1 }],
    ['the default of a required variable', given, 'query ($n: Int! = 1) { f(n: $n) }'],
    ['a variable of a @oneOf type', given, 'query ($p: P) { f(p: $p) }', { p: { n: 1, m: 2 } }],
    [
      'an absent variable with a name that every object has',
      given,
      'query ($constructor: Json) { f(j: $constructor) }',
    ],
    ['the key __proto__', named, '{ __proto__: __typename }'],
    ['different paths with the same joined name', named, '{ a: q { b_c: name } c_a: q { b } }'],
    [
      'a key named as the index of a list',
      'type Query { l: [Query], q: Query, b: String, name: String }',
      '{ l { b } idx0_l: q { b: name } }',
    ],
    [
      'different fields with the same joined name',
      'type Query { user: User, users: Users } type User { sname: String } type Users { name: String }',
      '{ user { sname } users { name } }',
    ],
    [
      'an interface',
      'interface I { name: String } type A implements I { name: String } type Query { i: I }',
      '{ i { name } }',
    ],
    [
      'a field of an interface, to which the type adds an argument',
      'scalar Json interface I { f: String } type Query implements I { f(j: Json = -0.0): String }',
      '{ ... on I { f } }',
    ],
    ['a union', 'union U = A type A { name: String } type Query { u: U }', '{ u { ... on A { name } } }'],
    ['a type with isTypeOf', 'type Query { own: Own } type Own { name: String }', '{ own { name } }'],
  ])('%s', async (_, sdl, query, variables = {}) => {
    const reporting = reportingSchema(sdl);
    const expected = answerOf(await execute({ schema: reporting, document: parse(query), variableValues: variables }));
    const selection = selectionOf(reporting, parse(query), undefined);
    const answer = answerOf(await compileOperation(selection)(variables, NO_CONTEXT));
    expect(JSON.stringify(answer.data)).toBe(JSON.stringify(expected.data));
    // If this fails, the compiler has fixed the bug, and the check for it can be removed.
    const compiled = compileQuery(reporting, parse(query));
    if (!isCompiledQuery(compiled)) return;
    const alone = answerOf(await compiled.query(undefined, NO_CONTEXT, variables));
    expect(JSON.stringify(alone.data)).not.toBe(JSON.stringify(expected.data));
  });

  test('an operation that shares a fragment with another operation, which leaves it out', async () => {
    const document = parse('query A { ...X @include(if: false) } query B { ...X } fragment X on Query { name }');
    const reporting = reportingSchema('type Query { name: String }');
    for (const name of ['A', 'B', 'A', 'B']) {
      const { data } = await compileOperation(selectionOf(reporting, document, name))({}, NO_CONTEXT);
      expect(Object.keys(data ?? {})).toEqual(name === 'A' ? [] : ['name']);
    }
  });

  test('several changes, of which none is made after one that has failed', async () => {
    const changing = buildSchema('type Query { q: Int } type Mutation { fail: Int!, change: Int! }');
    const made: string[] = [];
    for (const field of Object.values(changing.getMutationType()?.getFields() ?? {})) {
      field.resolve = async () => {
        made.push(field.name);
        if (field.name === 'fail') throw new Error('Nothing was changed.');
        return 1;
      };
    }
    const selection = selectionOf(changing, parse('mutation { change fail again: change }'), undefined);
    const { data } = await compileOperation(selection)({}, NO_CONTEXT);
    expect([data, made]).toEqual([null, ['change', 'fail']]);
  });

  test('an operation that takes an input object that contains itself, whose code would never end', () => {
    const reporting = reportingSchema(
      'type Query { f(tree: Tree): Int } input Tree { twigs: [Twig!] } input Twig { of: Tree }',
    );
    const selection = selectionOf(reporting, parse('query ($tree: Tree) { f(tree: $tree) }'), undefined);
    expect(isUnsupported(selection)).toBe(true);
  });

  test('an operation with such long names that its code would take hundreds of megabytes', () => {
    const fields = Array.from({ length: 150 }, (_, index) => `a${index}: name`);
    const reporting = reportingSchema('type Query { q: Query, name: String }');
    expect(isUnsupported(selectionOf(reporting, parse(`{ ${'x'.repeat(140_000)}: q { ${fields} } }`), undefined))).toBe(
      true,
    );
    expect(isUnsupported(selectionOf(reporting, parse(`{ ${'x'.repeat(100)}: q { ${fields} } }`), undefined))).toBe(
      false,
    );
  });
});

describe('an ordinary operation is compiled', () => {
  const bodies = [serviceDialect.petById(1), serviceDialect.petsAfter('x')].map(
    ({ body }) => JSON.parse(`${body}`).query,
  );
  const inReadme = [...readFileSync('README.md', 'utf8').matchAll(/"query": "([^"]+)"/g)].map(([, query]) => query);
  const withFragments = `query ($all: Boolean = false, $first: Int = 5, $sort: PetSort = name_desc, $status: PetStatus) {
    pets(first: $first, sort: $sort, status: [sold, $status]) { nodes { id ...A category @include(if: $all) { ...C } } }
    pet(petId: 1) { ...A category { ...C } }
  }
  fragment A on Pet { id name orders @skip(if: $all) { totalCount } } fragment C on Category { id name }`;
  const subscription = 'subscription ($types: [String!]) { events(types: $types) { id type subject } }';
  const ofClients = [...bodies, ...inReadme, withFragments, subscription].map(
    (query) => [query, parse(query), undefined] as const,
  );
  // The rows of events are a union, which the compiler gets wrong.
  const compiledRoutes = routesOf(petStoreService).filter(({ path }) => path !== '/events');
  const ofRest = compileRoutes(schema, compiledRoutes).map(({ name, selection, operationId }) => {
    return [name, selection.document, operationId] as const;
  });

  test.each([...ofClients, ...ofRest])('%s', (_, document, name) => {
    expect(isUnsupported(selectionOf(schema, document, name))).toBe(false);
    expect(isCompiledQuery(compileQuery(schema, document, name))).toBe(true);
  });

  test('with lists and objects as the defaults of arguments', () => {
    const reporting = reportingSchema(
      'type Query { f(names: [String!] = ["a", "b"], i: I = { n: 2 }): String } input I { n: Int = 1 }',
    );
    expect(isUnsupported(selectionOf(reporting, parse('{ f }'), undefined))).toBe(false);
  });
});

/**
 * A schema whose fields return the arguments that their resolvers got. Abstract types are resolved asynchronously, and
 * no value is of the type Own.
 */
function reportingSchema(sdl: string): GraphQLSchema {
  const reporting = buildSchema(sdl);
  for (const type of Object.values(reporting.getTypeMap())) {
    if (type.name.startsWith('__')) continue;
    if (isScalarType(type) && type.name === 'Moment') {
      type.parseLiteral = (node) => new Date(`${valueFromASTUntyped(node)}`);
    }
    if (isAbstractType(type)) type.resolveType = async () => reporting.getPossibleTypes(type)[0]?.name;
    if (!isObjectType(type)) continue;
    if (type.name === 'Own') type.isTypeOf = async () => false;
    for (const field of Object.values(type.getFields())) {
      field.resolve = (_, args, __, { parentType, fieldName, fieldNodes, variableValues }) =>
        isLeafType(field.type)
          ? inspect(
              [type.name, parentType.name, fieldName, fieldNodes[0]?.alias?.value, { ...args }, { ...variableValues }],
              {
                depth: 9,
              },
            )
          : isListType(field.type)
            ? [{}]
            : {};
    }
  }
  return reporting;
}
