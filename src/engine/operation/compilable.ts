import { type DocumentNode, type GraphQLSchema, getOperationAST, Kind, type OperationDefinitionNode } from 'graphql';
import { hasPlacesBeyondCompiler } from './compilable-places.ts';
import { hasValuesBeyondCompiler } from './compilable-values.ts';

/**
 * Whether graphql-jit (0.8.9) would run an operation of a valid document differently from the specification, execute
 * code of the client, or take too long to compile. Its bugs, each with an example:
 *
 * - It stores conditions on the field in the document, not on the place in the response, and visits each fragment once,
 *   included or not. `{ ...X @include(if: false) ...X }` and `{ a { ...X @include(if: false) } b { ...X } }` lack X in
 *   both places, and so does another operation of the document that spreads X.
 * - For a key that is selected twice, it takes the first place and all selections, skipped or not:
 *   `{ a @skip(if: true) b a }` returns a before b, and `{ a { b } a @skip(if: true) { ...X } }` returns X.
 * - It writes literals into its code as JSON: a bigint fails, a date becomes a string, -0 becomes 0, and the string
 *   `"__MAGIC_NAN__..."` becomes NaN. It executes what follows `"__MAGIC_DATE__..."`, which is code of the client. It
 *   writes the defaults of the schema in the same way.
 * - An absent variable within an object, `{ f(of: { n: $n }) }`, becomes null; within a literal of a custom scalar a
 *   variable is always absent.
 * - `query ($n: Int! = 1)` fails if the default is needed; `$constructor` is never absent, because every object has it;
 *   and a `@oneOf` input accepts several fields.
 * - A subscription is compiled to its source of events, not to what runs for one of them.
 * - In `mutation { a b }`, b runs although a has failed.
 * - The key `__proto__` creates no property: `{ __proto__: __typename }` returns an empty object.
 * - It stores the `info` of a field by its path, joined by underscores: in `{ a { b_c } c_a { b } }` both fields get
 *   the info of `c_a.b`. It stores resolvers by type and field, joined by nothing: `User.sname` is resolved as
 *   `Users.name`.
 * - For interfaces and unions: an error in `resolveType` is not caught, so the response never comes; a promise of a
 *   type fails; and if `A.x` is non-null and `B.x` is nullable, a null `A.x` is returned.
 * - `isTypeOf` gets neither context nor info, and a promise of false counts as true.
 * - It writes the path of each field several times: an alias of 140,000 characters around 250 fields takes 700 MB.
 *
 * It handles introspection correctly, but compiling that is not worth the time.
 *
 * @param document valid and within the limits, because its fragments are expanded here
 * @param operationName which operation of the document to check; needed if there are several
 */
export function isBeyondCompiler(
  schema: GraphQLSchema,
  document: DocumentNode,
  operationName: string | undefined,
): boolean {
  const operation = getOperationAST(document, operationName);
  return (
    operation == null ||
    operation.operation === 'subscription' ||
    changesSeveral(operation) ||
    hasValuesBeyondCompiler(schema, document) ||
    hasPlacesBeyondCompiler(schema, document, operation)
  );
}

function changesSeveral({ operation, selectionSet }: OperationDefinitionNode): boolean {
  const [only, ...others] = selectionSet.selections;
  return operation === 'mutation' && (others.length > 0 || only?.kind !== Kind.FIELD);
}
