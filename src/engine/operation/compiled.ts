import { type DocumentNode, type ExecutionResult, execute, type GraphQLSchema } from 'graphql';
import { compileQuery, isCompiledQuery } from 'graphql-jit';
import type { Context } from '../schema/context.ts';
import type { ReadAheadPlans } from '../schema/reference.ts';
import { isBeyondCompiler } from './compilable.ts';

/** Runs one operation of a document; takes the variables as they came. */
export type Operation = (
  variables: Readonly<Record<string, unknown>>,
  context: Context,
) => ExecutionResult | Promise<ExecutionResult>;

/**
 * Makes a function of an operation, compiled where the compiler keeps to the GraphQL specification. Both ways, its data are
 * the same to the order of the keys, and so are its errors, but for these: compiled, they may come in another order, and there
 * may be several from within what one of them made null. Resolvers must throw errors, and give lists of values, not of
 * promises; a field without a resolver is a property of its row, which must be neither promise nor function.
 *
 * @param document valid, within the limits, and never run with null for a variable that `neverNull` finds
 * @param operationName which of the document's operations; needed where it has several
 * @param plans what its lists read ahead
 */
export function compileOperation(
  schema: GraphQLSchema,
  document: DocumentNode,
  operationName: string | undefined,
  plans: ReadAheadPlans,
): Operation {
  const interpreted = interpretOperation(schema, document, operationName, plans);
  if (isBeyondCompiler(schema, document, operationName)) return interpreted;
  const compiled = compileQuery(schema, document, operationName);
  if (!isCompiledQuery(compiled)) return interpreted;
  return (variables, context) => {
    const result = compiled.query(plans, context, { ...variables });
    // Variables that it does not take, of which it says less than the specification's words, or wrongly; nothing has run.
    return 'data' in result || result instanceof Promise ? result : interpreted(variables, context);
  };
}

/** Makes the same function without compiling: cheaper for a document that runs once. */
export function interpretOperation(
  schema: GraphQLSchema,
  document: DocumentNode,
  operationName: string | undefined,
  plans: ReadAheadPlans,
): Operation {
  return (variableValues, contextValue) =>
    execute({
      schema,
      document,
      operationName,
      rootValue: plans,
      variableValues,
      contextValue,
    }) as ReturnType<Operation>;
}
