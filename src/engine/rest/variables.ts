import {
  type ArgumentNode,
  type DocumentNode,
  type FieldNode,
  type GraphQLArgument,
  type GraphQLField,
  type GraphQLInputType,
  type GraphQLObjectType,
  type GraphQLSchema,
  getNamedType,
  isInputObjectType,
  Kind,
  type OperationDefinitionNode,
  typeFromAST,
  validate,
  valueFromAST,
} from 'graphql';
import { type SelectedField, type Selection, selectionOf } from '../operation/selection.ts';
import { EXPECTED_VERSION } from './preconditions.ts';

/** A variable of a route's operation, and the argument of the root field that it goes into. */
export interface Variable {
  readonly name: string;
  readonly type: GraphQLInputType;
  readonly argument: GraphQLArgument;
  /** What it is when the client leaves it out; undefined for nothing. */
  readonly defaultValue: unknown;
}

/** A route's operation, resolved against the schema. */
export interface ResolvedOperation {
  readonly operationId: string;
  readonly parent: GraphQLObjectType;
  readonly field: GraphQLField<unknown, unknown>;
  readonly selection: Selection;
  /** The root field, as it is selected. */
  readonly selected: SelectedField;
  readonly inPath: readonly Variable[];
  readonly inQuery: readonly Variable[];
  readonly inBody: Variable | undefined;
  /** Come from fields of the body beside those of its input. */
  readonly besideBody: readonly Variable[];
  /** Takes the versions of which the row must have one. */
  readonly inPrecondition: Variable | undefined;
}

/**
 * Finds where each variable of an operation comes from: one named in the path from there, an input object from the
 * body, `expectedVersion` from the precondition, the others from the query string.
 *
 * @param readOnly the names of those that come from fields of the body beside those of its input
 * @throws {Error} when the document is not one named operation with one root field that its variables go into
 */
export function resolveOperation(
  schema: GraphQLSchema,
  document: DocumentNode,
  path: string,
  readOnly: readonly string[] = [],
): ResolvedOperation {
  const operations = document.definitions.filter((node) => node.kind === Kind.OPERATION_DEFINITION);
  const [operation] = operations;
  if (operation?.name === undefined || operations.length > 1) {
    throw new Error(`The route ${path} needs one operation, with a name.`);
  }
  const operationId = operation.name.value;
  const [fieldNode, ...others] = operation.selectionSet.selections;
  const parent = schema.getRootType(operation.operation);
  if (fieldNode?.kind !== Kind.FIELD || others.length > 0 || parent == null) {
    throw new Error(`The operation ${operationId} of ${path} needs one root field.`);
  }
  const field = parent.getFields()[fieldNode.name.value];
  if (field === undefined) throw new Error(`${operationId}: ${parent.name} has no field ${fieldNode.name.value}.`);
  assertValid(schema, document, operationId);
  const selection = selectionOf(schema, document, operationId);
  const [selected] = selection.roots as readonly [SelectedField];
  const variables = readVariables(schema, operation, fieldNode, field);
  const isInPath = ({ name }: Variable) => path.includes(`{${name}}`);
  const isPrecondition = ({ name }: Variable) => name === EXPECTED_VERSION;
  const isBody = ({ type }: Variable) => isInputObjectType(getNamedType(type));
  const isBesideBody = ({ name }: Variable) => readOnly.includes(name);
  const isElsewhere = (one: Variable) => isInPath(one) || isBody(one) || isBesideBody(one) || isPrecondition(one);
  return {
    operationId,
    parent,
    field,
    selection,
    selected,
    inPath: variables.filter(isInPath),
    inQuery: variables.filter((one) => !isElsewhere(one)),
    inBody: variables.find(isBody),
    besideBody: variables.filter(isBesideBody),
    inPrecondition: variables.find(isPrecondition),
  };
}

function assertValid(schema: GraphQLSchema, document: DocumentNode, operationId: string): void {
  const [error] = validate(schema, document);
  if (error !== undefined) throw new Error(`${operationId}: ${error.message}`);
}

function readVariables(
  schema: GraphQLSchema,
  operation: OperationDefinitionNode,
  fieldNode: FieldNode,
  field: GraphQLField<unknown, unknown>,
): Variable[] {
  return (operation.variableDefinitions ?? []).map((definition) => {
    const name = definition.variable.name.value;
    const takes = (node: ArgumentNode) => node.value.kind === Kind.VARIABLE && node.value.name.value === name;
    const argumentName = fieldNode.arguments?.find(takes)?.name.value;
    const argument = field.args.find((candidate) => candidate.name === argumentName);
    const type = typeFromAST(schema, definition.type) as GraphQLInputType | undefined;
    if (argument === undefined || type === undefined) {
      throw new Error(`${operation.name?.value}: $${name} must go into an argument of ${field.name}.`);
    }
    const defaultValue = definition.defaultValue && valueFromAST(definition.defaultValue, type);
    return { name, type, argument, defaultValue };
  });
}
