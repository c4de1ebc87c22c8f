import { execute, type FieldNode } from 'graphql';
import { compileQuery, isCompiledQuery } from 'graphql-jit';
import type { ReadAheadPlan, ReadAheadPlans } from '../schema/reference.ts';
import { isUnsupported } from './compiler-bugs.ts';
import type { PreparedOperation } from './prepared.ts';
import type { SelectedField, Selection } from './selection.ts';

export type Operation = PreparedOperation['run'];

/**
 * Compiles an operation if the compiler follows the specification for it. The errors of a compiled operation may be in
 * another order, and there may be several within a value that became null. Resolvers must throw their errors, and
 * return lists of values, not of promises; a field without a resolver is a property of its row, neither a promise nor a
 * function.
 *
 * @param selection never run with null for a variable that `neverNull` finds
 */
export function compileOperation(selection: Selection): Operation {
  const plans = readAheadPlans(selection);
  const interpreted = interpretOperation(selection, plans);
  if (isUnsupported(selection)) return interpreted;
  const compiled = compileQuery(selection.schema, selection.document, selection.operation.name?.value);
  if (!isCompiledQuery(compiled)) return interpreted;
  return (variables, context) => {
    const result = compiled.query(plans, context, { ...variables });
    // The compiler rejected the variables. The interpreter has the errors of the specification.
    return 'data' in result || result instanceof Promise ? result : interpreted(variables, context);
  };
}

/** Without compiling: faster for a document that runs only a few times. */
export function interpretOperation(selection: Selection, plans = readAheadPlans(selection)): Operation {
  const { schema, document, operation } = selection;
  const operationName = operation.name?.value;
  return (variableValues, contextValue) => {
    const args = { schema, document, operationName, rootValue: plans, variableValues, contextValue };
    return execute(args) as ReturnType<Operation>;
  };
}

/** Finds what each list of an operation can read ahead: the references that are selected of all of its rows. */
function readAheadPlans({ fields }: Selection): ReadAheadPlans {
  const plans = new Map<FieldNode, ReadAheadPlan>();
  for (const list of fields) {
    const plan = certain(list).flatMap((field) => {
      if (field.node.name.value === 'nodes') return referencesIn(field);
      if (field.node.name.value !== 'edges') return [];
      return certain(field).flatMap((edge) => (edge.node.name.value === 'node' ? referencesIn(edge) : []));
    });
    if (plan.length > 0) plans.set(list.node, plan);
  }
  return plans;
}

function referencesIn(rows: SelectedField): ReadAheadPlan {
  return certain(rows).flatMap((field) => {
    const reference = field.field.extensions.reference;
    return reference === undefined ? [] : [{ reference, within: referencesIn(field) }];
  });
}

/** The fields within, without those that a directive may leave out. */
function certain({ within, conditions }: SelectedField): readonly SelectedField[] {
  return within.filter((field) => field.conditions === conditions);
}
