import { type DocumentNode, type ExecutionResult, execute, type GraphQLSchema } from 'graphql';
import { compileQuery, isCompiledQuery } from 'graphql-jit';
import { isBeyondCompiler } from './compilable.ts';
import type { Context } from './context.ts';

/** Runs one operation of a document; takes the variables as they came. */
export type Operation = (
  variables: Readonly<Record<string, unknown>>,
  context: Context,
) => ExecutionResult | Promise<ExecutionResult>;

/**
 * Makes a function of an operation, compiled where the compiler keeps to the GraphQL specification. The document must
 * be valid.
 *
 * @param operationName which of the document's operations; needed where it has several
 */
export function compileOperation(
  schema: GraphQLSchema,
  document: DocumentNode,
  operationName: string | undefined,
): Operation {
  if (isBeyondCompiler(schema, document)) return interpretOperation(schema, document, operationName);
  const compiled = compileQuery(schema, document, operationName);
  if (!isCompiledQuery(compiled)) return interpretOperation(schema, document, operationName);
  return (variables, context) => compiled.query(undefined, context, { ...variables });
}

/** Makes the same function without compiling: cheaper for a document that runs once. */
export function interpretOperation(
  schema: GraphQLSchema,
  document: DocumentNode,
  operationName: string | undefined,
): Operation {
  return (variableValues, contextValue) =>
    execute({ schema, document, operationName, variableValues, contextValue }) as ReturnType<Operation>;
}
