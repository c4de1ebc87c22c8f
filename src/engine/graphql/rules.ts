import {
  type ASTVisitFn,
  type FieldNode,
  FieldsOnCorrectTypeRule,
  GraphQLError,
  getNamedType,
  isObjectType,
  type ValidationRule,
} from 'graphql';

/** Rejects an operation that the schema has no root for, as validation does from graphql-js 17 on. */
export const KnownOperationsRule: ValidationRule = (context) => ({
  OperationDefinition(node) {
    const { operation } = node;
    if (context.getSchema().getRootType(operation)) return;
    context.reportError(new GraphQLError(`The schema has no operations of the kind ${operation}.`, { nodes: node }));
  },
});

/**
 * The rule of graphql-js for unknown fields, with a better message for a common mistake: a field of the rows that is
 * selected on the connection.
 */
export const KnownFieldsRule: ValidationRule = (context) => {
  const { Field: report } = FieldsOnCorrectTypeRule(context) as { Field: ASTVisitFn<FieldNode> };
  return {
    Field(...visited) {
      const [node] = visited;
      const parent = context.getParentType();
      const rows = isObjectType(parent) ? getNamedType(parent.getFields().nodes?.type) : undefined;
      const { value: name } = node.name;
      if (context.getFieldDef() != null || !isObjectType(rows) || !(name in rows.getFields()))
        return report(...visited);
      const message = `Cannot query field "${name}" on type "${parent}". Its rows are in "nodes": { nodes { ${name} } }.`;
      context.reportError(new GraphQLError(message, { nodes: node }));
      return undefined;
    },
  };
};
