import {
  type ASTVisitFn,
  type FieldNode,
  FieldsOnCorrectTypeRule,
  GraphQLError,
  type GraphQLNamedType,
  getNamedType,
  isObjectType,
  Kind,
  KnownArgumentNamesRule,
  type OperationDefinitionNode,
  type SelectionNode,
  type SelectionSetNode,
  SingleFieldSubscriptionsRule,
  type ValidationContext,
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

/** The rule of graphql-js, with better messages for a mutation in a query, and for a field of the rows on the connection. */
export const KnownFieldsRule: ValidationRule = (context) => {
  const { Field: report } = FieldsOnCorrectTypeRule(context) as { Field: ASTVisitFn<FieldNode> };
  return {
    Field(...visited) {
      const [node] = visited;
      const parent = context.getParentType();
      const rows = isObjectType(parent) ? getNamedType(parent.getFields().nodes?.type) : undefined;
      const { value: name } = node.name;
      const mutation =
        parent === context.getSchema().getQueryType() ? context.getSchema().getMutationType() : undefined;
      const hint = hasField(mutation, name)
        ? `It is a mutation: mutation { ${name} }.`
        : hasField(rows, name) && `Its rows are in "nodes": { nodes { ${name} } }.`;
      if (context.getFieldDef() != null || hint === false) return report(...visited);
      const message = `Cannot query field "${name}" on type "${parent}". ${hint}`;
      context.reportError(new GraphQLError(message, { nodes: node }));
      return undefined;
    },
  };
};

function hasField(type: GraphQLNamedType | null | undefined, name: string): boolean {
  return isObjectType(type) && Object.hasOwn(type.getFields(), name);
}

/** The rule of graphql-js, with the accepted arguments in its message. */
export const KnownArgumentsRule: ValidationRule = (context) => ({
  ...KnownArgumentNamesRule(context),
  Argument(node) {
    const [field, parent] = [context.getFieldDef(), context.getParentType()];
    if (field == null || parent == null || context.getArgument() != null) return;
    const accepted = field.args.map(({ name }) => name).join(', ') || 'none';
    const message = `Unknown argument "${node.name.value}" on field "${parent}.${field.name}", which accepts ${accepted}.`;
    context.reportError(new GraphQLError(message, { nodes: node }));
  },
});

/** The rule of graphql-js throws at a condition with a variable. This one rejects any (GraphQL, section 5.2.4.1). */
export const SubscriptionRootRule: ValidationRule = (context) => {
  const { OperationDefinition: report } = SingleFieldSubscriptionsRule(context) as {
    OperationDefinition: ASTVisitFn<OperationDefinitionNode>;
  };
  return {
    OperationDefinition(...visited) {
      const [{ operation, selectionSet }] = visited;
      const nodes = operation === 'subscription' ? conditionalIn(selectionSet, context) : [];
      if (nodes.length === 0) return report(...visited);
      const message =
        'A subscription must not have @skip or @include at its root. Select fewer events by its arguments.';
      context.reportError(new GraphQLError(message, { nodes }));
      return undefined;
    },
  };
};

/** The selections with `@skip` or `@include`, also within fragments, but not within fields. */
function conditionalIn(
  { selections }: SelectionSetNode,
  context: ValidationContext,
  expanded = new Set<string>(),
): SelectionNode[] {
  return selections.flatMap((node) => {
    const isConditional = node.directives?.some(({ name }) => name.value === 'skip' || name.value === 'include');
    const own = isConditional ? [node] : [];
    if (node.kind === Kind.FIELD) return own;
    if (node.kind === Kind.INLINE_FRAGMENT) return [...own, ...conditionalIn(node.selectionSet, context, expanded)];
    const fragment = expanded.has(node.name.value) ? undefined : context.getFragment(node.name.value);
    expanded.add(node.name.value);
    return fragment ? [...own, ...conditionalIn(fragment.selectionSet, context, expanded)] : own;
  });
}
