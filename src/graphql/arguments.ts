import {
  BREAK,
  type DocumentNode,
  type FieldNode,
  type FragmentDefinitionNode,
  type GraphQLField,
  type GraphQLInputType,
  type GraphQLObjectType,
  type GraphQLSchema,
  getArgumentValues,
  getNamedType,
  getOperationAST,
  isInputObjectType,
  isObjectType,
  Kind,
  type SelectionSetNode,
  typeFromAST,
  valueFromAST,
  visit,
} from 'graphql';
import { MOST_ISSUES, ServiceError, validationFailed } from '../errors.ts';
import { type Condition, conditionsOf } from './conditions.ts';
import { boundsOf, inputIssues } from './input.ts';

type Variables = Readonly<Record<string, unknown>>;
type Arguments = Readonly<Record<string, unknown>>;

/** What is wrong with the arguments of a field. */
export interface ArgumentFault {
  readonly failure: ServiceError;
  /** The field, in the document. */
  readonly node: FieldNode;
}

/**
 * What is wrong with the arguments of an operation's fields beyond their types: no more than are told. The variables must
 * fit theirs. What `@skip` and `@include` leave out is not looked at.
 */
export type FaultFinder = (variables: Variables) => readonly ArgumentFault[];

/** A field of a document that is given arguments, and the ways to it, each with what has to hold for it. */
interface GivenField {
  readonly field: GraphQLField<unknown, unknown>;
  readonly ways: (readonly Condition[])[];
}

/**
 * Makes the finder for an operation, so that nothing of it is done where a bound, a page or a cursor is wrong. The document
 * must be valid and within the limits.
 */
export function faultFinder(
  schema: GraphQLSchema,
  document: DocumentNode,
  operationName: string | undefined,
): FaultFinder {
  const operation = getOperationAST(document, operationName);
  if (operation == null) return () => [];
  const defaults = new Map<string, unknown>();
  for (const { variable, type, defaultValue } of operation.variableDefinitions ?? []) {
    if (defaultValue === undefined) continue;
    defaults.set(variable.name.value, valueFromAST(defaultValue, typeFromAST(schema, type) as GraphQLInputType));
  }
  const fragments = new Map<string, FragmentDefinitionNode>();
  for (const node of document.definitions) {
    if (node.kind === Kind.FRAGMENT_DEFINITION) fragments.set(node.name.value, node);
  }
  const given = new Map<FieldNode, GivenField>();
  walk(schema.getRootType(operation.operation), operation.selectionSet, []);

  const fixed: ArgumentFault[] = [];
  const dependent: FaultFinder[] = [];
  for (const [node, { field, ways }] of given) {
    const check = argumentCheck(field);
    if (check === undefined) continue;
    const find = (variables: Variables) => {
      const failure = check(getArgumentValues(field, node, variables));
      return failure === undefined ? [] : [{ failure, node }];
    };
    const isAlways = ways.some((conditions) => conditions.length === 0);
    const isUsed = (variables: Variables) =>
      isAlways || ways.some((conditions) => conditions.every(({ holds }) => holds(variables)));
    if (!isAlways || hasVariables(node)) dependent.push((variables) => (isUsed(variables) ? find(variables) : []));
    else if (fixed.length < MOST_ISSUES) fixed.push(...find({}));
  }
  if (dependent.length === 0) return () => fixed;
  const always = Object.fromEntries(defaults);
  return (variables) => {
    const all = { ...always, ...variables };
    const faults = [...fixed];
    for (const find of dependent) {
      if (faults.length === MOST_ISSUES) break;
      faults.push(...find(all));
    }
    return faults;
  };

  /** Through the document as it is when its fragments are written out, which the limits bound. */
  function walk(
    type: GraphQLObjectType | null | undefined,
    { selections }: SelectionSetNode,
    around: readonly Condition[],
  ): void {
    for (const node of selections) {
      const conditions = [...around, ...conditionsOf(node, defaults)];
      if (node.kind !== Kind.FIELD) {
        const set = node.kind === Kind.INLINE_FRAGMENT ? node : fragments.get(node.name.value);
        if (set !== undefined) walk(type, set.selectionSet, conditions);
        continue;
      }
      const field = type?.getFields()[node.name.value];
      if (field === undefined) continue;
      const known = given.get(node);
      if (known !== undefined) known.ways.push(conditions);
      else if (node.arguments?.length) given.set(node, { field, ways: [conditions] });
      const named = getNamedType(field.type);
      if (node.selectionSet !== undefined && isObjectType(named)) walk(named, node.selectionSet, conditions);
    }
  }
}

/** The check of a field's arguments; undefined where their types say all that they must be. */
function argumentCheck(
  field: GraphQLField<unknown, unknown>,
): ((values: Arguments) => ServiceError | undefined) | undefined {
  const checked = field.args.filter((arg) => boundsOf(arg) !== undefined || isInputObjectType(getNamedType(arg.type)));
  const assertWindow = getNamedType(field.type).extensions.assertWindow as ((values: Arguments) => void) | undefined;
  if (checked.length === 0 && assertWindow === undefined) return undefined;
  return (values) => {
    const issues = checked.flatMap((arg) => inputIssues(arg, values[arg.name], [arg.name]));
    if (issues.length > 0) return validationFailed(issues);
    try {
      assertWindow?.(values);
    } catch (error) {
      if (error instanceof ServiceError) return error;
      throw error;
    }
    return undefined;
  };
}

function hasVariables(node: FieldNode): boolean {
  let found = false;
  const visitor = {
    [Kind.VARIABLE]: () => {
      found = true;
      return BREAK;
    },
  };
  for (const argument of node.arguments ?? []) visit(argument, visitor);
  return found;
}
