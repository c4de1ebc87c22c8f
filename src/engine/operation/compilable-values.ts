import {
  type DocumentNode,
  type GraphQLInputType,
  type GraphQLSchema,
  getNamedType,
  getNullableType,
  isInputObjectType,
  isLeafType,
  isListType,
  Kind,
  TypeInfo,
  typeFromAST,
  type ValueNode,
  visit,
  visitWithTypeInfo,
} from 'graphql';

/** A string that contains this has a special meaning for the compiler. */
const MARKER = '__MAGIC_';

/** Whether graphql-jit would misread a literal, a default or a variable. The document must be valid. */
export function hasValuesBeyondCompiler(schema: GraphQLSchema, document: DocumentNode): boolean {
  const types = new TypeInfo(schema);
  const inputs = new Set<GraphQLInputType>();
  let isBeyond = false;
  visit(
    document,
    visitWithTypeInfo(types, {
      [Kind.INT]: checkLeaf,
      [Kind.FLOAT]: checkLeaf,
      [Kind.STRING]: checkLeaf,
      [Kind.BOOLEAN]: checkLeaf,
      [Kind.ENUM]: checkLeaf,
      [Kind.OBJECT]: checkLeaf,
      [Kind.LIST]: (node) => {
        // TypeInfo has entered the list already: the input type is that of an item.
        const isOfItems = isListType(getNullableType(types.getParentInputType()));
        return isOfItems ? undefined : checkLeaf(node);
      },
      [Kind.OBJECT_FIELD]: ({ value }) => {
        isBeyond ||= value.kind === Kind.VARIABLE;
      },
      [Kind.VARIABLE_DEFINITION]: ({ variable, type, defaultValue }) => {
        isBeyond ||= variable.name.value in Object.prototype;
        isBeyond ||= type.kind === Kind.NON_NULL_TYPE && defaultValue !== undefined;
        isBeyond ||= isInputBeyond(typeFromAST(schema, type) as GraphQLInputType, inputs);
      },
      [Kind.FIELD]: () => {
        isBeyond ||= (types.getFieldDef()?.args ?? []).some((arg) => isDefaultBeyond(arg, inputs));
      },
    }),
  );
  return isBeyond;

  function checkLeaf(node: ValueNode): false | undefined {
    const type = getNamedType(types.getInputType());
    if (!isLeafType(type)) return undefined;
    isBeyond ||= hasVariable(node) || !isJson(type.parseLiteral(node, {}));
    return false;
  }
}

interface Defaulting {
  readonly type: GraphQLInputType;
  readonly defaultValue?: unknown;
}

function isDefaultBeyond({ type, defaultValue }: Defaulting, visited: Set<GraphQLInputType>): boolean {
  return (defaultValue !== undefined && !isJson(defaultValue)) || isInputBeyond(type, visited);
}

/** @param visited the types that were checked before */
function isInputBeyond(type: GraphQLInputType, visited: Set<GraphQLInputType>): boolean {
  const named = getNamedType(type);
  if (!isInputObjectType(named) || visited.has(named)) return false;
  visited.add(named);
  return named.isOneOf || Object.values(named.getFields()).some((field) => isDefaultBeyond(field, visited));
}

function hasVariable(node: ValueNode): boolean {
  let has = false;
  visit(node, {
    [Kind.VARIABLE]: () => {
      has = true;
    },
  });
  return has;
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
