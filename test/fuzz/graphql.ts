import fc from 'fast-check';
import { type GraphQLField, type GraphQLObjectType, getNamedType, isObjectType, OperationTypeNode } from 'graphql';
import { petStoreService } from '../../src/petstore/service.ts';
import { argumentsOf, type Given, withMistake } from './arguments.ts';
import { exact, hostileValues, type Kind, loose, mostly, type Taste } from './values.ts';

const { schema } = petStoreService;

/** A GraphQL request. */
export interface GraphQLCase {
  readonly kind: Kind;
  readonly method: 'GET' | 'POST';
  readonly headers: Readonly<Record<string, string>>;
  readonly query: unknown;
  readonly variables: unknown;
  readonly operationName: unknown;
  /** Whether it is sent twice: a prepared operation takes another path. */
  readonly isRepeated: boolean;
}

interface Operation {
  readonly query: string;
  readonly variables: Readonly<Record<string, unknown>>;
}

interface Part {
  readonly text: string;
  readonly given: readonly Given[];
  /** The fragments that the text spreads. */
  readonly fragments: readonly string[];
}

const MAX_DEPTH = 4;
const NOTHING: Part = { text: '', given: [], fragments: [] };
const OTHER = ' query other { __typename }';
/** Names of properties that every JavaScript object has. */
const ALIASES = ['__proto__', 'constructor', 'toString', 'hasOwnProperty', 'then', 'toJSON', '_', 'id'];
const INTROSPECTION = [
  '{ __schema { queryType { name } types { name kind fields { name isDeprecated } } } }',
  '{ __type(name: "Pet") { name kind fields { name type { kind ofType { name } } } } __typename }',
];
const ACCEPT = fc.constantFrom<Record<string, string>>(
  {},
  { accept: 'application/json' },
  { accept: 'application/graphql-response+json' },
  { accept: 'application/graphql-response+json, application/json;q=0.9' },
);

/** Operations that are valid, nearly valid, and hostile: a half, a quarter and a quarter. */
export const graphqlCases: fc.Arbitrary<GraphQLCase> = fc.oneof(
  { weight: 2, arbitrary: requestsOf('valid', operationsOf(exact)) },
  {
    weight: 1,
    arbitrary: requestsOf('nearly valid', fc.oneof(faulty(operationsOf(exact)), damaged(operationsOf(exact)))),
  },
  { weight: 1, arbitrary: hostileRequests() },
);

function requestsOf(kind: Kind, operations: fc.Arbitrary<Operation>): fc.Arbitrary<GraphQLCase> {
  return fc
    .record({ operation: operations, accept: ACCEPT, key: mostly(fc.constant(undefined), fc.uuid()), way: fc.nat(11) })
    .map(({ operation: { query, variables }, accept, key, way }) => ({
      kind,
      method: way === 11 && !query.startsWith('mutation') ? 'GET' : 'POST',
      headers: { ...accept, ...(key !== undefined && { 'idempotency-key': key }) },
      query: way === 6 ? query + OTHER : query,
      variables,
      operationName: way === 6 ? 'it' : undefined,
      isRepeated: way > 7,
    }));
}

function hostileRequests(): fc.Arbitrary<GraphQLCase> {
  const text = fc.string({ unit: 'binary', maxLength: 60 }).map((query): Operation => ({ query, variables: {} }));
  const operations = fc.oneof(
    { weight: 4, arbitrary: operationsOf(loose) },
    { weight: 2, arbitrary: damaged(operationsOf(loose)) },
    { weight: 1, arbitrary: text },
  );
  const odd = fc.constantFrom<Record<string, unknown>>({}, {}, {}, { method: 'GET' }, { operationName: 'unknown' });
  const replaced = fc.record(
    { query: hostileValues, variables: hostileValues, operationName: hostileValues },
    { requiredKeys: [] },
  );
  return fc
    .tuple(requestsOf('hostile', operations), odd, mostly(fc.constant({}), replaced))
    .map(([request, ...others]) => Object.assign({}, request, ...others) as GraphQLCase);
}

function operationsOf(taste: Taste): fc.Arbitrary<Operation> {
  const fixed = fc.constantFrom(...INTROSPECTION).map((query) => ({ query, variables: {} }));
  return fc.oneof(
    { weight: 8, arbitrary: operationsOn(OperationTypeNode.QUERY, taste) },
    { weight: 8, arbitrary: operationsOn(OperationTypeNode.MUTATION, taste) },
    { weight: 1, arbitrary: fixed },
  );
}

function operationsOn(kind: OperationTypeNode, taste: Taste): fc.Arbitrary<Operation> {
  const root = schema.getRootType(kind);
  if (root == null) throw new Error(`The schema has no ${kind}.`);
  const fields = Object.values(root.getFields());
  return mostly(fc.constant(1), fc.constantFrom(2, 3))
    .chain((count) => fc.array(fc.constantFrom(...fields), { minLength: count, maxLength: count }))
    .chain((chosen) => fc.tuple(...chosen.map((field, at) => selectionOf(field, root, `r${at}`, 0, taste))))
    .map((parts) => {
      const { text, given, fragments } = joined(parts);
      const variables = given.filter(({ literal }) => literal === undefined);
      const declared = variables.map(({ name, type }) => `$${name}: ${type}`).join(', ');
      return {
        query: [`${kind} it${declared && `(${declared})`} { ${text} }`, ...fragments].join(' '),
        variables: Object.fromEntries(variables.map(({ name, value }) => [name, value])),
      };
    });
}

function joined(parts: readonly Part[]): Part {
  return {
    text: parts.map(({ text }) => text).join(' '),
    given: parts.flatMap(({ given }) => given),
    fragments: parts.flatMap(({ fragments }) => fragments),
  };
}

/** A field with arguments in variables of its own, and its selections; some are skipped or wrapped. */
function selectionOf(
  field: GraphQLField<unknown, unknown>,
  parent: GraphQLObjectType,
  place: string,
  depth: number,
  taste: Taste,
): fc.Arbitrary<Part> {
  const type = getNamedType(field.type);
  const within = isObjectType(type) ? selectionsOf(type, place, depth + 1, taste) : fc.constant(NOTHING);
  const alias = depth === 0 ? fc.constant(place) : mostly(fc.constant(place), fc.constantFrom(...ALIASES));
  return fc
    .tuple(argumentsOf(field.args, type.name, place, taste), within, alias, fc.nat(19), fc.boolean())
    .map(([given, inner, name, way, isOn]) => {
      const list = given.map((one) => `${one.argument}: ${one.literal ?? `$${one.name}`}`).join(', ');
      const bare = `${name}: ${field.name}${list && `(${list})`}`;
      const condition = way > 17 ? wrapping(place, isOn, way === 18 ? 'include' : 'skip') : undefined;
      const text = `${bare}${condition ? ` ${condition.directive}` : ''}${inner.text}`;
      const isFragment = way === 16;
      const fragment = `fragment of_${place} on ${parent.name} { ${text} }`;
      return {
        text: isFragment ? `...of_${place}` : way === 17 ? `... { ${text} }` : text,
        given: [...given, ...(condition ? [condition.given] : []), ...inner.given],
        fragments: isFragment ? [...inner.fragments, fragment] : inner.fragments,
      };
    });
}

function wrapping(place: string, value: boolean, directive: string) {
  const name = `${place}_if`;
  return { directive: `@${directive}(if: $${name})`, given: { argument: 'if', name, type: 'Boolean!', value } };
}

function selectionsOf(type: GraphQLObjectType, place: string, depth: number, taste: Taste): fc.Arbitrary<Part> {
  const fields = Object.values(type.getFields()).filter(
    (field) => depth < MAX_DEPTH || !isObjectType(getNamedType(field.type)),
  );
  if (fields.length === 0) return fc.constant({ ...NOTHING, text: ' { __typename }' });
  return fc
    .uniqueArray(fc.nat(fields.length - 1), { minLength: 1, maxLength: 3 })
    .chain((chosen) =>
      fc.tuple(
        ...chosen.map((at) => {
          const field = fields[at] as GraphQLField<unknown, unknown>;
          return selectionOf(field, type, `${place}f${at}`, depth, taste);
        }),
      ),
    )
    .map(joined)
    .map((part) => ({ ...part, text: ` { __typename ${part.text} }` }));
}

function faulty(operations: fc.Arbitrary<Operation>): fc.Arbitrary<Operation> {
  return operations.chain(({ query, variables }) =>
    withMistake(variables).map((wrong) => ({ query, variables: wrong })),
  );
}

/** With a piece removed or duplicated. */
function damaged(operations: fc.Arbitrary<Operation>): fc.Arbitrary<Operation> {
  return fc
    .tuple(operations, fc.double({ min: 0, max: 1, noNaN: true }), fc.nat(12), fc.boolean())
    .map(([{ query, variables }, at, length, isDoubled]) => {
      const from = Math.floor(at * query.length);
      const piece = query.slice(from, from + length);
      return { query: query.slice(0, from) + (isDoubled ? piece + piece : '') + query.slice(from + length), variables };
    });
}
