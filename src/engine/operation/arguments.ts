import {
  type FieldNode,
  type GraphQLField,
  type GraphQLInputType,
  type GraphQLSchema,
  getArgumentValues,
  getNamedType,
  isInputObjectType,
  Kind,
  type OperationDefinitionNode,
  typeFromAST,
  valueFromAST,
} from 'graphql';
import { MAX_VALIDATION_ERRORS, ServiceError, validationFailed } from '../errors.ts';
import { boundsOf, type inputValidators } from '../schema/input.ts';
import { hasVariable, isAlwaysIncluded, isIncluded } from './conditions.ts';
import type { Rejection, Variables } from './prepared.ts';
import { nodesOf, type Selection, waysBy } from './selection.ts';

type Arguments = Readonly<Record<string, unknown>>;

/** Returns at most `MAX_VALIDATION_ERRORS` rejections, the last of which says if there are more. */
type ArgumentValidator = (variables: Variables) => readonly Rejection[];

/**
 * Makes the validator of the arguments of an operation's fields beyond their types: bounds, pages and cursors. It
 * ignores fields that `@skip` and `@include` leave out. The variables must be of their types.
 */
export function argumentValidator(
  { schema, operation, fields }: Selection,
  validatorOf: ReturnType<typeof inputValidators>,
): ArgumentValidator {
  const defaults = defaultsOf(schema, operation);
  const fieldOf = nodesOf(fields);
  const fixed: Rejection[] = [];
  const dependent: ArgumentValidator[] = [];
  for (const [node, ways] of waysBy(fields, ({ node }) => (node.arguments?.length ? node : undefined))) {
    const field = fieldOf.get(node);
    const check = field && argumentCheck(field, node, defaults, validatorOf);
    if (field === undefined || check === undefined) continue;
    const find = (variables: Variables) => {
      const error = check(getArgumentValues(field, node, variables));
      return error === undefined ? [] : [{ error, node }];
    };
    if (!isAlwaysIncluded(ways) || node.arguments?.some(({ value }) => hasVariable(value))) {
      dependent.push((variables) => (isIncluded(ways, variables) ? find(variables) : []));
    } else if (fixed.length <= MAX_VALIDATION_ERRORS) fixed.push(...find({}));
  }
  if (dependent.length === 0) return () => firstOf(fixed);
  const always = Object.fromEntries(defaults);
  return (variables) => {
    const all = { ...always, ...variables };
    const rejections = [...fixed];
    for (const find of dependent) {
      if (rejections.length > MAX_VALIDATION_ERRORS) break;
      rejections.push(...find(all));
    }
    return firstOf(rejections);
  };
}

function firstOf(rejections: readonly Rejection[]): readonly Rejection[] {
  return rejections.slice(0, MAX_VALIDATION_ERRORS).map((rejection, index) => {
    if (index < MAX_VALIDATION_ERRORS - 1 || rejections.length <= MAX_VALIDATION_ERRORS) return rejection;
    const { kind, message, validationErrors } = rejection.error;
    const error = new ServiceError(kind, `${message} There are more errors.`, { validationErrors });
    return { ...rejection, error };
  });
}

/** The check of a field's arguments; undefined if they need none. */
function argumentCheck(
  field: GraphQLField<unknown, unknown>,
  node: FieldNode,
  defaults: ReadonlyMap<string, unknown>,
  validatorOf: ReturnType<typeof inputValidators>,
): ((values: Arguments) => ServiceError | undefined) | undefined {
  const checked = field.args.filter((arg) => {
    if (boundsOf(arg) !== undefined) return true;
    const value = node.arguments?.find(({ name }) => name.value === arg.name)?.value;
    // Variables are checked as a whole elsewhere, but their defaults are not.
    const isChecked = value?.kind === Kind.VARIABLE && !defaults.has(value.name.value);
    return isInputObjectType(getNamedType(arg.type)) && !isChecked;
  });
  const assertWindow = getNamedType(field.type).extensions.assertWindow as ((values: Arguments) => void) | undefined;
  if (checked.length === 0 && assertWindow === undefined) return undefined;
  const validators = checked.map((arg) => [arg.name, validatorOf(arg)] as const);
  return (values) => {
    const validationErrors = validators.flatMap(([name, validate]) => validate(values[name], [name]));
    if (validationErrors.length > 0) return validationFailed(validationErrors);
    try {
      assertWindow?.(values);
    } catch (error) {
      if (error instanceof ServiceError) return error;
      throw error;
    }
    return undefined;
  };
}

/** The coerced defaults of the variables, as graphql-js coerces them. */
function defaultsOf(
  schema: GraphQLSchema,
  { variableDefinitions = [] }: OperationDefinitionNode,
): ReadonlyMap<string, unknown> {
  return new Map(
    variableDefinitions.flatMap(({ variable, type, defaultValue }) =>
      defaultValue === undefined
        ? []
        : [[variable.name.value, valueFromAST(defaultValue, typeFromAST(schema, type) as GraphQLInputType)] as const],
    ),
  );
}
