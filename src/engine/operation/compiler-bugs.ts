import {
  type ArgumentNode,
  type FieldNode,
  type GraphQLArgument,
  type GraphQLCompositeType,
  type GraphQLInputField,
  type GraphQLInputType,
  getNamedType,
  getNullableType,
  isAbstractType,
  isInputObjectType,
  isListType,
  isObjectType,
  Kind,
  typeFromAST,
  type ValueNode,
  valueFromAST,
} from 'graphql';
import { hasVariable } from './conditions.ts';
import { alternativesBy, type SelectedField, type Selection } from './selection.ts';

/** A string that contains this has a special meaning for the compiler. */
const MARKER = '__MAGIC_';

/** The maximum total length of the paths of all fields, in characters. */
const MAX_PATH_CHARACTERS = 100_000;

/**
 * Whether graphql-jit (0.8.9) would run an operation of a valid document differently from the specification, execute
 * code of the client, or take too long to compile. Its bugs:
 *
 * - It stores conditions on the field in the document, not on the place in the response, and visits each fragment once,
 *   included or not. `{ ...X @include(if: false) ...X }` lacks X, and so does another operation that spreads X.
 * - For a key that is selected twice, it takes the first place and all selections, skipped or not:
 *   `{ a @skip(if: true) b a }` returns a before b.
 * - It writes literals and the schema's defaults into its code as JSON: a bigint fails, a date becomes a string, -0
 *   becomes 0. It executes what follows `"__MAGIC_DATE__..."`, which is code of the client.
 * - An absent variable within an object becomes null; within a literal of a custom scalar, variables are always absent.
 * - `$constructor` is never absent, because every object has it; and a `@oneOf` input accepts several fields.
 * - In `mutation { a b }`, b runs although a has failed.
 * - The key `__proto__` creates no property.
 * - It stores the `info` of a field by its path, joined by underscores: in `{ a { b_c } c_a { b } }` both fields get
 *   the info of `c_a.b`. It stores resolvers by type and field, joined by nothing.
 * - For interfaces and unions, an error in `resolveType` is not caught, so the response never comes; a promise of a
 *   type fails; and a null of a non-null field is returned if another type has it nullable.
 * - `isTypeOf` gets neither context nor info, and a promise of false counts as true.
 * - For an input object that contains itself it writes code until the stack is full, which takes seconds; and for the
 *   path of each field several times: an alias of 140,000 characters around 250 fields takes 700 MB.
 *
 * It handles introspection correctly, but compiling that is not worth the time.
 */
export function isUnsupported(selection: Selection): boolean {
  const { operation, roots, fields } = selection;
  return (
    (operation.operation === 'mutation' && roots.length > 1) ||
    hasUnsupportedVariables(selection) ||
    // Each node once: a fragment's field has one for all spreads.
    [...alternativesBy(fields, ({ node }) => node)].some(([node, { field }]) =>
      field.args.some((arg) => isUnsupportedArgument(arg, node.arguments)),
    ) ||
    hasUnsupportedPaths(selection)
  );
}

function hasUnsupportedPaths({ document, roots, fields }: Selection): boolean {
  // The others may share its fragments.
  const isOfSeveral = document.definitions.filter(({ kind }) => kind === Kind.OPERATION_DEFINITION).length > 1;
  const conditionsOfNodes = new Map<FieldNode, string>();
  const conditionsOfPaths = new Map<string, string>();
  const resolvers = new Map<string, GraphQLCompositeType>();
  const names = new Map<string, string>();
  let characters = 0;
  return [{ within: roots, conditions: [] }, ...fields].some(({ within, conditions: around }) =>
    within.some((selected) => {
      const { node, path, conditions } = selected;
      characters += path.length;
      if (characters > MAX_PATH_CHARACTERS) return true;
      const own = conditions.slice(around.length).map(({ text }) => text);
      return (
        (isOfSeveral && own.length > 0) || isUnsupportedPath(node, path, own.join(' ')) || isUnsupportedField(selected)
      );
    }),
  );

  function isUnsupportedPath(node: FieldNode, path: string, conditions: string): boolean {
    const keys = path.split('.');
    // The compiler names the index of a list so.
    if (keys.some((key) => key === '__proto__' || /idx\d/.test(key))) return true;
    return (
      conflicts(conditionsOfPaths, path, conditions) ||
      conflicts(conditionsOfNodes, node, conditions) ||
      conflicts(names, keys.reverse().join('_'), path)
    );
  }

  function isUnsupportedField({ parent, field: { name, type: ofField } }: SelectedField): boolean {
    const type = getNamedType(ofField);
    return (
      name === '__schema' ||
      name === '__type' ||
      isAbstractType(parent) ||
      isAbstractType(type) ||
      (isObjectType(type) && type.isTypeOf != null) ||
      conflicts(resolvers, parent.name + name, parent)
    );
  }
}

/** Whether the key has another value already; sets it otherwise. */
function conflicts<K, V>(map: Map<K, V>, key: K, value: V): boolean {
  const known = map.get(key) ?? value;
  map.set(key, known);
  return known !== value;
}

function hasUnsupportedVariables({ schema, variableDefinitions }: Selection): boolean {
  return variableDefinitions.some(({ variable, type: ofVariable, defaultValue }) => {
    const type = typeFromAST(schema, ofVariable) as GraphQLInputType;
    return (
      variable.name.value in Object.prototype ||
      isUnsupportedInput(type) ||
      (defaultValue !== undefined && isUnsupportedLiteral(type, defaultValue))
    );
  });
}

/** @param outer the input objects that it is in */
function isUnsupportedInput(type: GraphQLInputType, outer: readonly GraphQLInputType[] = []): boolean {
  const named = getNamedType(type);
  if (outer.includes(named)) return true;
  if (!isInputObjectType(named)) return false;
  const isFieldBeyond = (field: GraphQLInputField) =>
    isUnsupportedDefault(field) || isUnsupportedInput(field.type, [...outer, named]);
  return named.isOneOf || Object.values(named.getFields()).some(isFieldBeyond);
}

function isUnsupportedArgument(argument: GraphQLArgument, given: readonly ArgumentNode[] = []): boolean {
  const value = given.find(({ name }) => name.value === argument.name)?.value;
  return isUnsupportedDefault(argument) || (value !== undefined && isUnsupportedLiteral(argument.type, value));
}

function isUnsupportedDefault({ defaultValue }: Pick<GraphQLArgument, 'defaultValue'>): boolean {
  return defaultValue !== undefined && !isJson(defaultValue);
}

function isUnsupportedLiteral(type: GraphQLInputType, value: ValueNode): boolean {
  const nullable = getNullableType(type);
  if (value.kind === Kind.VARIABLE) return false;
  if (value.kind === Kind.LIST && isListType(nullable)) {
    return value.values.some((item) => isUnsupportedLiteral(nullable.ofType, item));
  }
  return hasVariable(value) || !isJson(valueFromAST(value, type));
}

/** Whether JSON represents the value exactly, and it contains no string with a special meaning for the compiler. */
function isJson(value: unknown): boolean {
  if (value === null || typeof value === 'boolean') return true;
  if (typeof value === 'string') return !value.includes(MARKER);
  if (typeof value === 'number') return Number.isFinite(value) && !Object.is(value, -0);
  if (Array.isArray(value)) return value.every(isJson);
  if (typeof value !== 'object') return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  if (prototype !== null && prototype !== Object.prototype) return false;
  return Object.entries(value).every(([key, inner]) => key !== '__proto__' && isJson(key) && isJson(inner));
}
