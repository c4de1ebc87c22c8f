import {
  type ASTVisitFn,
  type FieldNode,
  FieldsOnCorrectTypeRule,
  GraphQLError,
  getNamedType,
  isObjectType,
  type ValidationRule,
} from 'graphql';

/**
 * graphql-js's own rule for fields that a type does not have; but where a connection is asked for a field of its rows, as people
 * do who know plain lists, it is told where the rows are.
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
