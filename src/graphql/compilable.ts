import {
  type DocumentNode,
  type GraphQLSchema,
  getNamedType,
  isLeafType,
  Kind,
  TypeInfo,
  type ValueNode,
  visit,
  visitWithTypeInfo,
} from 'graphql';

/**
 * Whether graphql-jit would answer a document otherwise than the specification has it. These it would: literals that
 * JSON does not hold (bigints, dates); a variable within an object literal, which becomes null when it is absent;
 * the default of a required variable; several changes, which it does not stop at a failure; a key that is selected twice
 * under conditions, which loses its place; the name `__proto__`, which makes no property; and a variable with a name that
 * every object has, such as `constructor`, which is never absent. Introspection is not worth compiling.
 */
export function isBeyondCompiler(schema: GraphQLSchema, document: DocumentNode): boolean {
  const types = new TypeInfo(schema);
  const keys = new Set<string>();
  let isBeyond = false;
  let isConditional = false;
  let isRepeated = false;
  const look = (node: ValueNode) => {
    const type = getNamedType(types.getInputType());
    if (!isLeafType(type)) return;
    const value: unknown = type.parseLiteral(node, {});
    isBeyond ||= typeof value === 'bigint' || (typeof value === 'object' && value !== null);
  };
  visit(
    document,
    visitWithTypeInfo(types, {
      [Kind.INT]: look,
      [Kind.STRING]: look,
      [Kind.OBJECT_FIELD]: ({ value }) => {
        isBeyond ||= value.kind === Kind.VARIABLE;
      },
      [Kind.VARIABLE_DEFINITION]: ({ variable, type, defaultValue }) => {
        isBeyond ||= variable.name.value in Object.prototype;
        isBeyond ||= type.kind === Kind.NON_NULL_TYPE && defaultValue !== undefined;
      },
      [Kind.OPERATION_DEFINITION]: ({ operation, selectionSet }) => {
        const [only, ...others] = selectionSet.selections;
        isBeyond ||= operation === 'mutation' && (others.length > 0 || only?.kind !== Kind.FIELD);
      },
      [Kind.DIRECTIVE]: () => {
        isConditional = true;
      },
      [Kind.FIELD]: ({ alias, name }) => {
        const key = (alias ?? name).value;
        const place = `${types.getParentType()?.name}.${key}`;
        isBeyond ||= key === '__proto__' || name.value === '__schema' || name.value === '__type';
        isRepeated ||= keys.has(place);
        keys.add(place);
      },
    }),
  );
  return isBeyond || (isConditional && isRepeated);
}
