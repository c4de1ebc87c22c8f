import type { GraphQLSchema } from 'graphql';
import type { Database } from './db/client.ts';
import type { ListCosts } from './limits/charge.ts';
import { type DocumentText, openApiDocument } from './openapi/document.ts';
import { compileRoutes, type Endpoint } from './rest/compile.ts';
import type { Route } from './rest/route.ts';
import type { Context } from './schema/context.ts';
import { lifecycleExamples, lifecyclePlurals, lifecycleRoutes, lifecycleTags } from './usage/rest.ts';

/** Where the page about deprecations and sunsets is, and the operation that tells the same as JSON. */
export const LIFECYCLE_PAGE = '/lifecycle';

/** What an application is called. */
export interface Names {
  /** By people, such as `Bookshop`. */
  readonly title: string;
  /** By programs, such as `bookshop`: letters, digits and hyphens. */
  readonly name: string;
}

/** What the engine serves. */
export interface Application extends Names {
  readonly schema: GraphQLSchema;
  readonly routes: readonly Route[];
  /** Makes what resolvers are given; one for all requests, for reads are coalesced across them. */
  createStores(database: Database): Omit<Context, 'lifecycle'>;
  /** What the OpenAPI document says that the schema and the routes do not. */
  readonly openApi: DocumentText;
  readonly home: HomeText;
  /** GraphQL documents that the playground opens with, each in a tab. */
  readonly playground: readonly string[];
}

/** What the page at the root says of an application. */
interface HomeText {
  /** What it is, in a sentence or two. */
  readonly about: string;
  /** A first REST request that is worth a look: its path and query, and what it shows. */
  readonly look: { readonly target: string; readonly about: string };
  /** The path and query of a first REST call, to copy. */
  readonly rest: string;
  /** A GraphQL document of a first call, to copy. */
  readonly graphql: string;
}

/** Every HTTP operation of the application, with the engine's own. */
export function routesOf({ routes }: Pick<Application, 'routes'>): readonly Route[] {
  return [...routes, ...lifecycleRoutes];
}

/**
 * The routes, made ready to run.
 *
 * @param costs what lists cost
 * @throws {Error} when a route's operation does not fit the schema
 */
export function endpointsOf(application: Application, costs?: ListCosts): readonly Endpoint[] {
  return compileRoutes(application.schema, routesOf(application), LIFECYCLE_PAGE, costs);
}

/** The OpenAPI document of the application's endpoints. */
export function describeEndpoints(
  { title, openApi }: Pick<Application, 'title' | 'openApi'>,
  endpoints: readonly Endpoint[],
  basePath: string,
) {
  return openApiDocument(endpoints, {
    ...openApi,
    title,
    basePath,
    tagGroups: { ...openApi.tagGroups, ...lifecycleTags },
    examples: { ...lifecycleExamples, ...openApi.examples },
    plurals: { ...openApi.plurals, ...lifecyclePlurals },
  });
}
