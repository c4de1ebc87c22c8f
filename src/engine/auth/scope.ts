import { DirectiveLocation, GraphQLDirective, GraphQLNonNull, type GraphQLSchema, GraphQLString } from 'graphql';

declare module 'graphql' {
  interface GraphQLFieldExtensions<_TSource, _TContext, _TArgs> {
    /** Of a root field: what its callers need. */
    scope?: string;
  }
}

/** The scope of reads, where they need one. */
export const READ = 'read';

export const scopeDirective = new GraphQLDirective({
  name: 'requiresScope',
  description:
    'The scope that the caller needs, unless the service is open to everyone; `read` only where reads are closed too. There, a change whose response has more than the changed row needs `read` as well.',
  locations: [DirectiveLocation.FIELD_DEFINITION],
  args: { scope: { type: new GraphQLNonNull(GraphQLString), description: 'The scope of an API key or a token.' } },
});

/** The scopes of the schema, each with the root fields that need it. */
export function scopesIn(schema: GraphQLSchema): ReadonlyMap<string, readonly string[]> {
  const scopes = new Map<string, string[]>();
  for (const type of [schema.getQueryType(), schema.getMutationType(), schema.getSubscriptionType()]) {
    for (const field of Object.values(type?.getFields() ?? {})) {
      const { scope } = field.extensions;
      if (scope !== undefined) scopes.set(scope, [...(scopes.get(scope) ?? []), field.name]);
    }
  }
  return scopes;
}
