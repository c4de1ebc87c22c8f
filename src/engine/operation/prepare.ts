import { Kind, typeFromAST } from 'graphql';
import { READ, scopeOf } from '../auth/scope.ts';
import { type ValidationError, validationFailed } from '../errors.ts';
import { unitsOf } from '../limits/units.ts';
import { type InputElement, inputValidators, type Names, nameOrValue } from '../schema/input.ts';
import type { ReadAheadPlans } from '../schema/reference.ts';
import { argumentValidator } from './arguments.ts';
import type { Operation } from './compiled.ts';
import { maxRuns, measure } from './cost.ts';
import { neverNull } from './never-null.ts';
import type { PreparedOperation } from './prepared.ts';
import { readAheadPlans } from './read-ahead.ts';
import { streamArgsOf, waitOf } from './root-fields.ts';
import type { Selection } from './selection.ts';
import type { UseFinder } from './uses.ts';

const KINDS = { query: 'read', mutation: 'change', subscription: 'stream' } as const;

export interface PrepareOptions {
  readonly findUses: UseFinder;
  /** Makes the function that runs it, and stays in memory: so it must not keep the selection, which is large. */
  readonly run: (selection: Selection, plans: ReadAheadPlans) => Operation;
  /** Validates the variables and arguments; undefined if the protocol validates them as it reads them. */
  readonly validate: ((selection: Selection) => PreparedOperation['validate']) | undefined;
}

export function prepareOperation(
  selection: Selection,
  { findUses, run, validate = () => () => [] }: PrepareOptions,
): PreparedOperation {
  const { operation, roots } = selection;
  const costFor = measure(selection);
  // The closures below stay in memory too.
  const otherRoots = Math.max(0, roots.length - 1);
  const { selections } = operation.selectionSet;
  const [only] = selections;
  // A fragment may select several fields.
  const root = selections.length === 1 && only?.kind === Kind.FIELD ? only.name.value : undefined;
  const waiting = roots.find(({ field }) => field.extensions.wait !== undefined);
  const isChange = operation.operation === 'mutation';
  return {
    label: root ?? waiting?.field.name ?? 'several',
    kind: KINDS[operation.operation],
    changesSeveral: isChange && root === undefined,
    scopes: scopesOf(selection),
    cost: (variables, costs, runs = 1) => {
      const cost = costFor(variables, runs);
      return { units: unitsOf(cost, costs) + otherRoots, bytes: cost.bytes };
    },
    uses: findUses(selection),
    validate: validate(selection),
    maxRuns: (variables) => maxRuns(costFor(variables)),
    streamArgs: streamArgsOf(selection),
    wait: waitOf(selection),
    run: run(selection, readAheadPlans(selection)),
  };
}

/** The scopes of the root fields, and `read` for a change that returns more than the changed row. */
function scopesOf({ operation, roots }: Selection): readonly string[] {
  const scopes = roots.flatMap(({ field, within }) => {
    const scope = scopeOf(field);
    if (scope === undefined) return [];
    const returnsMore = within.some(({ node }) => node.selectionSet !== undefined);
    return operation.operation === 'mutation' && returnsMore ? [scope, READ] : [scope];
  });
  return [...new Set(scopes)];
}

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
