import { buildSchema } from 'graphql';
import type { Change } from './change.ts';
import { graphqlChanges } from './graphql-changes.ts';
import { graphqlCoordinate } from './graphql-coordinate.ts';
import { graphqlElements } from './graphql-elements.ts';
import { type Lifecycles, lifecycleChanges, lifecyclesOf } from './lifecycle.ts';
import { openApiChanges } from './openapi-changes.ts';
import { readOpenApi } from './openapi-elements.ts';
import { judge, type Verdict } from './policy.ts';

export type Contract = ReturnType<typeof readContract>;

export interface Finding extends Change, Verdict {
  /** The schema coordinate of the element; for what only REST has, its coordinate there. */
  readonly element: string;
}

/** Reads the texts of `schema.graphql` and `openapi.json`. Throws if they aren't as this service writes them. */
export function readContract(graphql: string, openApi: string) {
  const [schema, document] = [buildSchema(graphql), readOpenApi(openApi)];
  const lifecycles = { graphql: lifecyclesOf(graphqlElements(schema)), openApi: lifecyclesOf(document) };
  return { schema, openApi: document, lifecycles };
}

/**
 * The changes from base to head that can harm a client, judged by the lifecycles in the base on a day, such as
 * `2026-07-01` in UTC. An element that clients can't reach has no lifecycle, and is left out.
 */
export async function compareContracts(base: Contract, head: Contract, today: string): Promise<Finding[]> {
  const inGraphql = [
    ...(await graphqlChanges(base.schema, head.schema)),
    ...lifecycleChanges(base.lifecycles.graphql, head.lifecycles.graphql),
  ];
  const inOpenApi = [
    ...openApiChanges(base.openApi, head.openApi),
    ...lifecycleChanges(base.lifecycles.openApi, head.lifecycles.openApi),
  ];
  return [
    ...inGraphql.flatMap((change) => findings(change, change.coordinate, base.lifecycles.graphql, today)),
    ...inOpenApi.flatMap((change) =>
      findings(change, graphqlCoordinate(base.schema, base.openApi, change.coordinate), base.lifecycles.openApi, today),
    ),
  ];
}

function findings(change: Change, element: string, lifecycles: Lifecycles, today: string): Finding[] {
  const own = change.isNewlyRequired ? undefined : lifecycles.get(change.coordinate);
  const lifecycle = own ?? lifecycles.get(change.parent ?? '');
  if (lifecycle === undefined) return [];
  return [{ ...change, element, ...judge(change, lifecycle, today, own === undefined) }];
}
