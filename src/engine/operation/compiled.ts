import { execute } from 'graphql';
import { compileQuery, isCompiledQuery } from 'graphql-jit';
import type { ReadAheadPlans } from '../schema/reference.ts';
import { isUnsupported } from './compiler-bugs.ts';
import type { PreparedOperation } from './prepared.ts';
import type { Selection } from './selection.ts';

export type Operation = PreparedOperation['run'];

/**
 * Compiles an operation if the compiler follows the specification for it. The errors of a compiled operation may be in
 * another order, and there may be several within a value that became null. Resolvers must throw their errors, and
 * return lists of values, not of promises; a field without a resolver is a property of its row, neither a promise nor a
 * function.
 *
 * @param selection never run with null for a variable that `neverNull` finds
 */
export function compileOperation(selection: Selection, plans: ReadAheadPlans): Operation {
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
export function interpretOperation({ schema, document, operation }: Selection, plans: ReadAheadPlans): Operation {
  const operationName = operation.name?.value;
  return (variableValues, contextValue) => {
    const args = { schema, document, operationName, rootValue: plans, variableValues, contextValue };
    return execute(args) as ReturnType<Operation>;
  };
}
