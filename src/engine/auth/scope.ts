import {
  DirectiveLocation,
  type FieldNode,
  GraphQLDirective,
  type GraphQLField,
  GraphQLNonNull,
  type GraphQLSchema,
  GraphQLString,
} from 'graphql';

/** The scope of reads, where they need one. */
export const READ = 'read';

type AnyField = Pick<GraphQLField<unknown, unknown>, 'extensions'>;

interface SelectedRoot {
  readonly field: AnyField;
  readonly within: readonly { readonly node: FieldNode }[];
}

export const scopeDirective = new GraphQLDirective({
  name: 'requiresScope',
  description:
    'What a caller must be allowed to do, where the service asks who calls: changes then need their scope, and `read` ' +
    'is needed where reads are closed too.',
  locations: [DirectiveLocation.FIELD_DEFINITION],
  args: { scope: { type: new GraphQLNonNull(GraphQLString), description: 'The scope of an API key or a token.' } },
});

export function scopeOf({ extensions }: AnyField): string | undefined {
  return extensions.scope as string | undefined;
}

/** The scopes of the schema, each with the root fields that need it. */
export function scopesIn(schema: GraphQLSchema): ReadonlyMap<string, readonly string[]> {
  const scopes = new Map<string, string[]>();
  for (const type of [schema.getQueryType(), schema.getMutationType(), schema.getSubscriptionType()]) {
    for (const field of Object.values(type?.getFields() ?? {})) {
      const scope = scopeOf(field);
      if (scope !== undefined) scopes.set(scope, [...(scopes.get(scope) ?? []), field.name]);
    }
  }
  return scopes;
}

/** The scopes of the root fields, and `read` for a change that returns more than the changed row. */
export function scopesOf(roots: readonly SelectedRoot[], isChange: boolean): readonly string[] {
  const scopes = new Set<string>();
  for (const { field, within } of roots) {
    const scope = scopeOf(field);
    if (scope === undefined) continue;
    scopes.add(scope);
    if (isChange && within.some(({ node }) => node.selectionSet !== undefined)) scopes.add(READ);
  }
  return [...scopes];
}
