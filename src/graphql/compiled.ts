import {
  type DocumentNode,
  type ExecutionResult,
  execute,
  type GraphQLSchema,
  getNamedType,
  isLeafType,
  Kind,
  TypeInfo,
  type ValueNode,
  visit,
  visitWithTypeInfo,
} from 'graphql';
import { compileQuery, isCompiledQuery } from 'graphql-jit';
import type { Context } from './builder.ts';

/** Runs one operation of a document; takes the variables as they came. */
export type Operation = (
  variables: Readonly<Record<string, unknown>>,
  context: Context,
) => ExecutionResult | Promise<ExecutionResult>;

/**
 * Makes a function of an operation. The document must be valid.
 *
 * @param operationName which of the document's operations; needed where it has several
 */
export function compileOperation(
  schema: GraphQLSchema,
  document: DocumentNode,
  operationName: string | undefined,
): Operation {
  const compiled = hasExactLiteral(schema, document) ? undefined : compileQuery(schema, document, operationName);
  if (compiled !== undefined && isCompiledQuery(compiled)) {
    return (variables, context) => compiled.query(undefined, context, { ...variables });
  }
  return interpretOperation(schema, document, operationName);
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

/** The compiler writes literals as JSON, which holds neither a bigint nor a date: such a document is interpreted. */
function hasExactLiteral(schema: GraphQLSchema, document: DocumentNode): boolean {
  const types = new TypeInfo(schema);
  let found = false;
  const look = (node: ValueNode) => {
    const type = getNamedType(types.getInputType());
    if (!isLeafType(type)) return;
    const value: unknown = type.parseLiteral(node, {});
    found ||= typeof value === 'bigint' || (typeof value === 'object' && value !== null);
  };
  visit(document, visitWithTypeInfo(types, { [Kind.INT]: look, [Kind.STRING]: look }));
  return found;
}
