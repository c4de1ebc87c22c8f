import {
  type ArgumentNode,
  type GraphQLArgument,
  type GraphQLInputType,
  type GraphQLSchema,
  getNamedType,
  getOperationAST,
  isInputObjectType,
  Kind,
  OperationTypeNode,
  OverlappingFieldsCanBeMergedRule,
  specifiedRules,
  typeFromAST,
  validate,
  valueFromAST,
} from 'graphql';
import { type SelectedField, type Selection, selectionOf } from '../operation/selection.ts';
import { EXPECTED_VERSION } from './preconditions.ts';
import { documentOf, namesIn, type Route } from './route.ts';

/** A variable of a route's operation, and the argument of the root field that takes it. */
export interface Variable {
  readonly name: string;
  readonly type: GraphQLInputType;
  readonly argument: GraphQLArgument;
  /** Its value if the client omits it; undefined for none. */
  readonly defaultValue: unknown;
}

/** A route with its operation. */
export interface ResolvedOperation {
  readonly route: Route;
  readonly operationId: string;
  /** Its name for clients, such as `GET /plants`. */
  readonly name: string;
  readonly selection: Selection;
  /** The root field, and its coordinate. */
  readonly selected: SelectedField;
  readonly coordinate: string;
  /** In the order of the path. */
  readonly pathVariables: readonly Variable[];
  readonly queryVariables: readonly Variable[];
  readonly bodyVariable: Variable | undefined;
  /** Variables from body fields beside those of the input. */
  readonly bodyFieldVariables: readonly Variable[];
  readonly versionVariable: Variable | undefined;
}

/**
 * Finds where each variable of an operation comes from: one that the path names from the path, an input object from the
 * body, `expectedVersion` from the precondition, all others from the query string.
 *
 * @throws {Error} if it is not one named operation with one root field that takes its variables, or the route misfits
 */
export function resolveOperation(schema: GraphQLSchema, route: Route): ResolvedOperation {
  const { method, path, readOnly = [], parameters = {} } = route;
  const document = documentOf(route, schema);
  const operation = getOperationAST(document);
  if (operation?.name === undefined) throw new Error(`The route ${path} needs one operation, with a name.`);
  const operationId = operation.name.value;
  if (!PATH.test(path)) throw new Error(`${operationId}: ${path} is not a path such as /plants/{plantId}.`);
  const [error] = validate(schema, document, RULES);
  if (error !== undefined) throw new Error(`${operationId}: ${error.message}`);
  if (method === 'GET' && operation.operation !== OperationTypeNode.QUERY)
    throw new Error(`${operationId}: GET ${path} needs a query.`);
  const selection = selectionOf(schema, document, operationId);
  const [selected, ...others] = selection.roots;
  if (selected === undefined || others.length > 0) {
    throw new Error(`The operation ${operationId} of ${path} needs one root field.`);
  }
  const variables = readVariables(selection, selected);
  const find = (name: string, where: string) => {
    const found = variables.find((one) => one.name === name);
    if (found === undefined) throw new Error(`${operationId}: ${path} ${where}, but there is no $${name}.`);
    return found;
  };
  const pathVariables = namesIn(path).map((name) => find(name, `has {${name}}`));
  const bodyFieldVariables = readOnly.map((name) => find(name, `describes ${name}`));
  for (const name of Object.keys(parameters)) find(name, `describes ${name}`);
  const versionVariable = variables.find(({ name }) => name === EXPECTED_VERSION);
  const [body, otherBody] = variables.filter(({ type }) => isInputObjectType(getNamedType(type)));
  if (body !== undefined && otherBody !== undefined)
    throw new Error(
      `${operationId}: $${body.name} and $${otherBody.name} would both be the body; make them one input.`,
    );
  if (method === 'GET' && body !== undefined)
    throw new Error(`${operationId}: $${body.name} would be the body, and GET has none.`);
  const elsewhere = [...pathVariables, body, ...bodyFieldVariables, versionVariable];
  const queryVariables = variables.filter((one) => !elsewhere.includes(one));
  return {
    route,
    operationId,
    name: `${method} ${path}`,
    selection,
    selected,
    coordinate: `${selected.parent.name}.${selected.field.name}`,
    pathVariables,
    queryVariables,
    bodyVariable: body,
    bodyFieldVariables,
    versionVariable,
  };
}

/** With unreserved characters alone (RFC 3986): others are encoded in requests, or mean something to the router. */
const PATH = /^(\/([\w.~-]+|\{\w+\}))+$/;

/** Without the rule that the rows of a union may not have fields of one name and different types: each is on its own. */
const RULES = specifiedRules.filter((rule) => rule !== OverlappingFieldsCanBeMergedRule);

function readVariables(
  { schema, operation, variableDefinitions }: Selection,
  { node, field }: SelectedField,
): Variable[] {
  return variableDefinitions.map((definition) => {
    const name = definition.variable.name.value;
    const takes = ({ value }: ArgumentNode) => value.kind === Kind.VARIABLE && value.name.value === name;
    const argumentName = node.arguments?.find(takes)?.name.value;
    const argument = field.args.find((candidate) => candidate.name === argumentName);
    const type = typeFromAST(schema, definition.type) as GraphQLInputType;
    if (argument === undefined) {
      throw new Error(`${operation.name?.value}: $${name} must go into an argument of ${field.name}.`);
    }
    const defaultValue = definition.defaultValue && valueFromAST(definition.defaultValue, type);
    return { name, type, argument, defaultValue };
  });
}
