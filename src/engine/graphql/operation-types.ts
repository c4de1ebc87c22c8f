import { GraphQLError, type ValidationRule } from 'graphql';

/** Rejects an operation that the schema has no root for, as validation does from graphql-js 17 on. */
export const KnownOperationsRule: ValidationRule = (context) => ({
  OperationDefinition(node) {
    const { operation } = node;
    if (context.getSchema().getRootType(operation)) return;
    context.reportError(new GraphQLError(`The schema has no operations of the kind ${operation}.`, { nodes: node }));
  },
});
