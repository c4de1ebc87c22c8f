import { buildSchema, type GraphQLSchema } from 'graphql';
import { Counterparts } from './counterparts.ts';
import type { Difference } from './difference.ts';
import { graphqlChanges } from './graphql-changes.ts';
import { graphqlStandings } from './graphql-standings.ts';
import { annotationChanges } from './mark-changes.ts';
import { openApiChanges } from './openapi-changes.ts';
import { type OpenApiDocument, readOpenApi } from './openapi-document.ts';
import { openApiStandings } from './openapi-standings.ts';
import { judge, type Verdict } from './policy.ts';
import type { Standings } from './standing.ts';

/** Both descriptions, and how far each says that its things can be relied on. */
export interface Contract {
  readonly schema: GraphQLSchema;
  readonly document: OpenApiDocument;
  readonly standings: { readonly graphql: Standings; readonly openapi: Standings };
}

/** A difference, and whether it is allowed. */
export interface Finding {
  readonly difference: Difference;
  readonly verdict: Verdict;
}

/**
 * Reads the texts of `schema.graphql` and `openapi.json`.
 *
 * @throws {Error} when either is not as this service writes it
 */
export function readContract(graphql: string, openApi: string): Contract {
  const [schema, document] = [buildSchema(graphql), readOpenApi(openApi)];
  return { schema, document, standings: { graphql: graphqlStandings(schema), openapi: openApiStandings(document) } };
}

/**
 * Everything in which the head's contract differs from the base's that a client could notice to its cost, judged by
 * what the base promised. What no client can reach was promised to none, and is left out.
 *
 * @param spell how REST writes an enum value of GraphQL
 * @param today as `2026-07-01`, in UTC
 */
export async function compareContracts(
  base: Contract,
  head: Contract,
  spell: (enumValue: string) => string,
  today: string,
): Promise<Finding[]> {
  const differences = await differencesOf(base, head, new Counterparts(base.schema, base.document, spell));
  return differences.flatMap((difference) => {
    const standings = base.standings[difference.protocol];
    const standing = standings.of(difference.coordinate) ?? standings.of(difference.holder);
    return standing === undefined ? [] : [{ difference, verdict: judge(difference, standing, today) }];
  });
}

async function differencesOf(base: Contract, head: Contract, counterparts: Counterparts): Promise<Difference[]> {
  const inGraphql = [
    ...(await graphqlChanges(base.schema, head.schema)),
    ...annotationChanges(base.standings.graphql, head.standings.graphql),
  ];
  const inOpenApi = [
    ...openApiChanges(base.document, head.document),
    ...annotationChanges(base.standings.openapi, head.standings.openapi),
  ];
  return [
    ...inGraphql.map((change) => ({ ...change, protocol: 'graphql' as const })),
    ...inOpenApi.map((change) => ({
      ...change,
      protocol: 'openapi' as const,
      counterpart: counterparts.of(change.coordinate),
    })),
  ];
}
