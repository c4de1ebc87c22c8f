import { type DocumentNode, type GraphQLSchema, getOperationAST, Kind, type OperationDefinitionNode } from 'graphql';
import { hasPlacesBeyondCompiler } from './compilable-places.ts';
import { hasValuesBeyondCompiler } from './compilable-values.ts';

/**
 * Whether graphql-jit (0.8.9) would answer an operation of a valid document otherwise than the specification has it, run
 * code of the client's, or take too long to compile it. Its faults, each with a case:
 *
 * - It keeps conditions at the field of the document, not at the place in the answer, and visits a fragment once, wanted or
 *   not. `{ ...X @include(if: false) ...X }` and `{ a { ...X @include(if: false) } b { ...X } }` lack X in both places, and
 *   so does another operation of the document that spreads X.
 * - Of a key that is selected twice it takes the first place and all selections, skipped or not:
 *   `{ a @skip(if: true) b a }` has a before b, and `{ a { b } a @skip(if: true) { ...X } }` has X.
 * - It writes literals into its code as JSON: a bigint fails, a date becomes a text, -0 becomes 0, and the text
 *   `"__MAGIC_NAN__..."` becomes NaN. What follows `"__MAGIC_DATE__..."` is executed: it is the client's code. Defaults of
 *   the schema are written in the same way.
 * - A variable within an object, `{ f(of: { n: $n }) }`, becomes null when it is absent; within a literal of a custom
 *   scalar it is always absent.
 * - `query ($n: Int! = 1)` fails where the default is needed; `$constructor`, as every object has it, is never absent; and
 *   of a `@oneOf` input several fields may be given.
 * - Of several changes, `mutation { a b }`, those after a failure are made all the same.
 * - The key `__proto__` makes no property: `{ __proto__: __typename }` is empty.
 * - The `info` of a field is kept by its path, joined by underscores: in `{ a { b_c } c_a { b } }` both get
 *   that of `c_a.b`. Resolvers are kept by type and field, joined by nothing: `User.sname` is resolved as `Users.name`.
 * - Of an interface or a union: nobody catches what `resolveType` throws, so that the answer never comes; a promise of a
 *   type fails; and where `A.x` must not be null and `B.x` may, a null `A.x` stays.
 * - `isTypeOf` gets neither context nor info, and a promise of false is taken for true.
 * - The path of each field is written out several times: an alias of 140,000 characters around 250 fields takes 700 MB.
 *
 * Introspection it does right, but that is not worth compiling.
 *
 * @param document valid, and measured: its fragments are written out here
 * @param operationName which of its operations; needed where it has several
 */
export function isBeyondCompiler(
  schema: GraphQLSchema,
  document: DocumentNode,
  operationName: string | undefined,
): boolean {
  const operation = getOperationAST(document, operationName);
  return (
    operation == null ||
    changesSeveral(operation) ||
    hasValuesBeyondCompiler(schema, document) ||
    hasPlacesBeyondCompiler(schema, document, operation)
  );
}

function changesSeveral({ operation, selectionSet }: OperationDefinitionNode): boolean {
  const [only, ...others] = selectionSet.selections;
  return operation === 'mutation' && (others.length > 0 || only?.kind !== Kind.FIELD);
}
