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

/** In a text that the compiler takes for something else. */
const MARKER = '__MAGIC_';

/** Whether graphql-jit would take a value for another: a literal, a default or a variable. The document must be valid. */
export function hasValuesBeyondCompiler(schema: GraphQLSchema, document: DocumentNode): boolean {
  const types = new TypeInfo(schema);
  const inputs = new Set<GraphQLInputType>();
  let isBeyond = false;
  visit(
    document,
    visitWithTypeInfo(types, {
      [Kind.INT]: look,
      [Kind.FLOAT]: look,
      [Kind.STRING]: look,
      [Kind.BOOLEAN]: look,
      [Kind.ENUM]: look,
      [Kind.OBJECT]: look,
      [Kind.LIST]: (node) => {
        // By now the type is that of an item.
        const isOfItems = isListType(getNullableType(types.getParentInputType()));
        return isOfItems ? undefined : look(node);
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

  function look(node: ValueNode): false | undefined {
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

function isDefaultBeyond({ type, defaultValue }: Defaulting, known: Set<GraphQLInputType>): boolean {
  return (defaultValue !== undefined && !isJson(defaultValue)) || isInputBeyond(type, known);
}

/** @param known the types that have been looked at */
function isInputBeyond(type: GraphQLInputType, known: Set<GraphQLInputType>): boolean {
  const named = getNamedType(type);
  if (!isInputObjectType(named) || known.has(named)) return false;
  known.add(named);
  return named.isOneOf || Object.values(named.getFields()).some((field) => isDefaultBeyond(field, known));
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

/** Whether JSON holds it exactly, and the compiler takes no text in it for something else. */
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
