import {
  type FieldNode,
  type GraphQLField,
  getArgumentValues,
  getNamedType,
  getVariableValues,
  isInputObjectType,
  isNonNullType,
  Kind,
  TypeInfo,
  typeFromAST,
  ValidationContext,
} from 'graphql';
import { MAX_VALIDATION_ERRORS, ServiceError, type ValidationError, validationFailed } from '../errors.ts';
import { connectionOf } from '../schema/connection-type.ts';
import { type InputElement, inputValidators, type Names, nameOrValue } from '../schema/input.ts';
import { hasVariable, isAlwaysIncluded, isIncluded } from './conditions.ts';
import type { PreparedOperation, Rejection, Variables } from './prepared.ts';
import { alternativesBy, type Selection } from './selection.ts';

/** Validates the variables of an operation, and if they are valid, the arguments of its fields. */
export function validator(names: Names) {
  const validatorOf = inputValidators(names);
  const argumentValidatorOf = inputValidators(names, nameOrValue);
  return (selection: Selection): PreparedOperation['validate'] => {
    const rejections = argumentValidator(selection, argumentValidatorOf);
    const withoutNull = neverNull(selection);
    const { schema, variableDefinitions } = selection;
    const validators = variableDefinitions.map(({ variable, type, defaultValue }) => {
      const element = { type: typeFromAST(schema, type), defaultValue, extensions: {} } as InputElement;
      return [variable.name.value, validatorOf(element)] as const;
    });
    return (variables) => {
      const errors = validators.flatMap(([name, validate]): readonly ValidationError[] => {
        const value = Object.hasOwn(variables, name) ? variables[name] : undefined;
        return value === null && withoutNull.has(name)
          ? [{ path: [name], message: 'must not be null; omit it instead' }]
          : validate(value, [name]);
      });
      return errors.length > 0 ? [{ error: validationFailed(errors), node: undefined }] : rejections(variables);
    };
  };
}

/**
 * The variables that may be omitted, because they or their place have a default, but must not be null. By the
 * specification (GraphQL, section 5.8.5), null is found during execution, when something may have been changed already.
 */
export function neverNull({ schema, document, operation, variableDefinitions }: Selection): ReadonlySet<string> {
  const optional = new Set(
    variableDefinitions
      .filter(({ type }) => type.kind !== Kind.NON_NULL_TYPE)
      .map(({ variable }) => variable.name.value),
  );
  if (optional.size === 0) return optional;
  const context = new ValidationContext(schema, document, new TypeInfo(schema), () => {});
  const uses = context.getRecursiveVariableUsages(operation);
  const names = uses.filter(({ type }) => isNonNullType(type)).map(({ node }) => node.name.value);
  return new Set(names.filter((name) => optional.has(name)));
}

/** Returns at most `MAX_VALIDATION_ERRORS` rejections, the last of which says if there are more. */
type ArgumentValidator = (variables: Variables) => readonly Rejection[];

/**
 * Makes the validator of the arguments of an operation's fields beyond their types: bounds, pages and cursors. It
 * ignores fields that `@skip` and `@include` leave out. The variables must be of their types.
 */
function argumentValidator(
  { schema, variableDefinitions, fields }: Selection,
  validatorOf: ReturnType<typeof inputValidators>,
): ArgumentValidator {
  const optional = variableDefinitions.filter(({ defaultValue }) => defaultValue !== undefined);
  const { coerced: defaults = {} } = getVariableValues(schema, optional, {});
  const fixed: Rejection[] = [];
  const dependent: ArgumentValidator[] = [];
  for (const [node, { field, alternatives }] of alternativesBy(fields, ({ node }) =>
    node.arguments?.length ? node : undefined,
  )) {
    const check = argumentCheck(field, node, defaults, validatorOf);
    if (check === undefined) continue;
    const find = (variables: Variables) => {
      const error = check(getArgumentValues(field, node, variables));
      return error === undefined ? [] : [{ error, node }];
    };
    if (!isAlwaysIncluded(alternatives) || node.arguments?.some(({ value }) => hasVariable(value))) {
      dependent.push((variables) => (isIncluded(alternatives, variables) ? find(variables) : []));
    } else if (fixed.length <= MAX_VALIDATION_ERRORS) fixed.push(...find({}));
  }
  if (dependent.length === 0) return () => firstOf(fixed);
  return (variables) => {
    const all = { ...defaults, ...variables };
    const rejections = [...fixed];
    for (const find of dependent) {
      if (rejections.length > MAX_VALIDATION_ERRORS) break;
      rejections.push(...find(all));
    }
    return firstOf(rejections);
  };
}

function firstOf(rejections: readonly Rejection[]): readonly Rejection[] {
  const last = rejections[MAX_VALIDATION_ERRORS - 1];
  if (last === undefined || rejections.length === MAX_VALIDATION_ERRORS) return rejections;
  const { kind, message, validationErrors } = last.error;
  const error = new ServiceError(kind, `${message} There are more errors.`, { validationErrors });
  return [...rejections.slice(0, MAX_VALIDATION_ERRORS - 1), { ...last, error }];
}

/** The check of a field's arguments; undefined if they need none. */
function argumentCheck(
  field: GraphQLField<unknown, unknown>,
  node: FieldNode,
  defaults: Variables,
  validatorOf: ReturnType<typeof inputValidators>,
): ((values: Variables) => ServiceError | undefined) | undefined {
  const checked = field.args.filter((arg) => {
    if (arg.extensions.bounds !== undefined) return true;
    const value = node.arguments?.find(({ name }) => name.value === arg.name)?.value;
    // Variables are checked as a whole elsewhere, but their defaults are not.
    const isChecked = value?.kind === Kind.VARIABLE && !Object.hasOwn(defaults, value.name.value);
    return isInputObjectType(getNamedType(arg.type)) && !isChecked;
  });
  const connection = connectionOf(getNamedType(field.type));
  if (checked.length === 0 && connection === undefined) return undefined;
  const validators = checked.map((arg) => [arg.name, validatorOf(arg)] as const);
  return (values) => {
    const validationErrors = validators.flatMap(([name, validate]) => validate(values[name], [name]));
    if (validationErrors.length > 0) return validationFailed(validationErrors);
    try {
      connection?.assertWindow(values);
    } catch (error) {
      if (error instanceof ServiceError) return error;
      throw error;
    }
    return undefined;
  };
}
