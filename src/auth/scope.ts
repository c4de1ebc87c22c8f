import {
  DirectiveLocation,
  type DocumentNode,
  GraphQLDirective,
  type GraphQLField,
  GraphQLNonNull,
  type GraphQLObjectType,
  type GraphQLSchema,
  GraphQLString,
  getNamedType,
  getOperationAST,
  isObjectType,
  Kind,
  type SelectionSetNode,
} from 'graphql';
import { fragmentsOf } from '../graphql/fragments.ts';

/** What every read needs, where reads need something. */
export const READ = 'read';

type AnyField = Pick<GraphQLField<unknown, unknown>, 'extensions'>;

/** The directive that tells in the schema's text what a caller must be allowed to do. */
export const scopeDirective = new GraphQLDirective({
  name: 'requiresScope',
  description:
    'What a caller must be allowed to do, where the service asks who calls: changes then need their scope, and `read` ' +
    'is needed where reads are closed too.',
  locations: [DirectiveLocation.FIELD_DEFINITION],
  args: { scope: { type: new GraphQLNonNull(GraphQLString), description: 'The scope of an API key or a token.' } },
});

/** The scope that a root field needs; undefined for a field that needs none. */
export function scopeOf({ extensions }: AnyField): string | undefined {
  return extensions.scope as string | undefined;
}

/** Every scope that a field of the schema needs, with the root fields that need it. */
export function scopesIn(schema: GraphQLSchema): ReadonlyMap<string, readonly string[]> {
  const scopes = new Map<string, string[]>();
  for (const type of [schema.getQueryType(), schema.getMutationType()]) {
    for (const field of Object.values(type?.getFields() ?? {})) {
      const scope = scopeOf(field);
      if (scope !== undefined) scopes.set(scope, [...(scopes.get(scope) ?? []), field.name]);
    }
  }
  return scopes;
}

/**
 * The scopes that an operation needs: those of its root fields, and `read` for a change that answers with more than the
 * row it is about. The document has to be valid.
 */
export function scopesOf(
  schema: GraphQLSchema,
  document: DocumentNode,
  operationName: string | undefined,
): readonly string[] {
  const operation = getOperationAST(document, operationName);
  const root = operation && schema.getRootType(operation.operation);
  if (operation == null || root == null) return [];
  const fragments = fragmentsOf(document);
  const scopes = new Set<string>();
  collect(root, operation.selectionSet, ({ selectionSet }, field) => {
    const scope = scopeOf(field);
    if (scope === undefined) return;
    scopes.add(scope);
    const row = getNamedType(field.type);
    if (scope === READ || !isObjectType(row) || selectionSet === undefined) return;
    collect(row, selectionSet, (node) => node.selectionSet && scopes.add(READ));
  });
  return [...scopes];

  /** Visits the fields of a selection, those of its fragments included. */
  function collect(
    type: GraphQLObjectType,
    { selections }: SelectionSetNode,
    visit: (
      node: { readonly selectionSet?: SelectionSetNode | undefined },
      field: GraphQLField<unknown, unknown>,
    ) => void,
  ): void {
    for (const node of selections) {
      if (node.kind === Kind.FIELD) {
        const field = type.getFields()[node.name.value];
        if (field !== undefined) visit(node, field);
      } else {
        const set = node.kind === Kind.INLINE_FRAGMENT ? node : fragments.get(node.name.value);
        if (set !== undefined) collect(type, set.selectionSet, visit);
      }
    }
  }
}
