import {
  type FieldNode,
  type GraphQLArgument,
  type GraphQLEnumValue,
  type GraphQLField,
  type GraphQLInputField,
  type GraphQLInputType,
  getNamedType,
  getNullableType,
  isEnumType,
  isInputObjectType,
  isListType,
  Kind,
  type ValueNode,
} from 'graphql';

/** Callbacks for the values in the arguments of a field, with the elements of the schema. */
interface ValueVisitor {
  /** For each argument and input field that is given, with its value. */
  given?(element: GraphQLArgument | GraphQLInputField, value: ValueNode): void;
  enumValue?(element: GraphQLEnumValue): void;
  /** For each variable, with the type of the place that uses it. */
  variable?(name: string, type: GraphQLInputType): void;
}

/** Visits the arguments of a field, and the values within them. The document must be valid. */
export function visitArguments({ args }: GraphQLField<unknown, unknown>, node: FieldNode, visitor: ValueVisitor): void {
  for (const { name, value } of node.arguments ?? []) {
    const argument = args.find((one) => one.name === name.value);
    if (argument !== undefined) visitGiven(argument, value, visitor);
  }
}

function visitGiven(element: GraphQLArgument | GraphQLInputField, value: ValueNode, visitor: ValueVisitor): void {
  visitor.given?.(element, value);
  visitValue(element.type, value, visitor);
}

function visitValue(type: GraphQLInputType, value: ValueNode, visitor: ValueVisitor): void {
  const nullable = getNullableType(type);
  const named = getNamedType(type);
  if (value.kind === Kind.VARIABLE) visitor.variable?.(value.name.value, type);
  else if (value.kind === Kind.LIST) {
    const item = isListType(nullable) ? (nullable.ofType as GraphQLInputType) : type;
    for (const each of value.values) visitValue(item, each, visitor);
  } else if (value.kind === Kind.ENUM && isEnumType(named)) {
    const element = named.getValue(value.value);
    if (element != null) visitor.enumValue?.(element);
  } else if (value.kind === Kind.OBJECT && isInputObjectType(named)) {
    for (const field of value.fields) {
      const element = named.getFields()[field.name.value];
      if (element !== undefined) visitGiven(element, field.value, visitor);
    }
  }
}
