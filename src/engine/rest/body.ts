import { transformInputValue } from '@graphql-tools/utils';
import { type GraphQLInputObjectType, getNamedType, isEnumType } from 'graphql';
import { type ValidationError, validationFailed } from '../errors.ts';
import { reachable } from '../operation/uses.ts';
import { inputValidators } from '../schema/input.ts';
import { fromRestName, restNameOf } from './parameters.ts';
import type { Method } from './route.ts';
import type { Variable } from './variables.ts';

export interface AcceptedBodies {
  readonly mediaTypes: readonly string[];
  /** The header fields of a response that say so (RFC 5789, section 3.1). */
  readonly headers: { readonly 'accept-patch'?: string };
}

/** What the body of a method can be: that of a PATCH is a JSON merge patch (RFC 7396). */
export function acceptedBodies(method: Method): AcceptedBodies {
  if (method !== 'PATCH') return { mediaTypes: ['application/json'], headers: {} };
  const mediaTypes = ['application/merge-patch+json', 'application/json'];
  return { mediaTypes, headers: { 'accept-patch': mediaTypes.join(', ') } };
}

/**
 * Makes the function that reads the variables from a body, which may repeat the identifiers of the path, because clients
 * send back what they received. It throws VALIDATION_FAILED with all errors.
 *
 * @param fieldVariables the variables that come from body fields beside those of the input
 * @param identity the names of the identifiers in the body, with those of their variables; undefined for a new row's
 */
export function bodyVariables(
  inputVariable: Variable,
  fieldVariables: readonly Variable[],
  identity: ReadonlyMap<string, string | undefined>,
): (body: unknown, pathValues: Readonly<Record<string, unknown>>) => Readonly<Record<string, unknown>> {
  const validatorOf = inputValidators('shown', (value) => [restNameOf(value)], 'whole');
  const { name: variable, argument, type } = inputVariable;
  const renamed = [inputVariable, ...fieldVariables].filter((one) =>
    reachable(one.type).some((element) => restNameOf(element) !== element.name),
  );
  const validate = validatorOf({ ...argument, type });
  const fieldValidators = new Map(
    fieldVariables.map((one) => [one.name, validatorOf({ ...one.argument, type: one.type, extensions: NOT_NULL })]),
  );
  const input = getNamedType(type) as GraphQLInputObjectType;
  const names = [...identity.keys(), ...fieldValidators.keys()].filter((name) => !(name in input.getFields()));
  return (body, pathValues) => {
    const given: Readonly<Record<string, unknown>> = Object(body);
    const repeated = names.filter((name) => Object.hasOwn(given, name));
    const variables: Record<string, unknown> = { [variable]: repeated.length === 0 ? body : without(given, repeated) };
    const validationErrors: ValidationError[] = [];
    for (const name of repeated) {
      const value = given[name];
      const validateField = fieldValidators.get(name);
      if (validateField !== undefined) variables[name] = value;
      validationErrors.push(
        ...(validateField?.(value, [name]) ?? identifierErrors(name, value, pathValues[identity.get(name) ?? ''])),
      );
    }
    validationErrors.push(...validate(variables[variable], []));
    if (validationErrors.length > 0) throw validationFailed(validationErrors);
    for (const { name, type: ofVariable } of renamed.filter((one) => one.name in variables))
      variables[name] = transformInputValue(ofVariable, variables[name], (leaf, given) =>
        isEnumType(leaf) ? fromRestName(leaf, given) : given,
      );
    return variables;
  };
}

/** In REST, these fields do not accept null. */
const NOT_NULL = { rejectsNull: true };

function identifierErrors(name: string, value: unknown, id: unknown): ValidationError[] {
  if (id === undefined) {
    return [{ path: [name], message: 'is read-only, because it is assigned on creation; omit it' }];
  }
  if (value === id) return [];
  return [{ path: [name], message: `is read-only: it must be ${id}, as in the path, or be omitted` }];
}

function without(given: Readonly<Record<string, unknown>>, names: readonly string[]): object {
  return Object.fromEntries(Object.entries(given).filter(([name]) => !names.includes(name)));
}
