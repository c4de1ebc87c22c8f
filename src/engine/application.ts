import type { GraphQLSchema } from 'graphql';
import type { Database } from './db/client.ts';
import type { ListCosts } from './limits/units.ts';
import { type DocumentText, openApiDocument } from './openapi/document.ts';
import { compileRoutes, type Endpoint } from './rest/compile.ts';
import type { Route } from './rest/route.ts';
import type { Context } from './schema/context.ts';
import { lifecycleResource } from './usage/rest.ts';
import type { LifecycleStore } from './usage/store.ts';

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
  readonly resources: readonly Resource[];
  /** What the OpenAPI document says that the schema and the resources do not. */
  readonly openApi: Omit<DocumentText, 'tagGroups' | 'plurals' | 'optional'>;
  readonly home: HomeText;
  /** GraphQL documents that the playground opens with, each in a tab. */
  readonly playground: readonly string[];
}

/** What the OpenAPI document says of a resource that its schema and routes do not. */
type ResourceText = Pick<DocumentText, 'tagGroups' | 'examples' | 'plurals' | 'optional'>;

/** A kind of rows. The file that has it imports what the resource adds to the schema. */
export interface Resource extends Partial<Pick<ResourceText, 'plurals' | 'optional'>> {
  /** Its part of what resolvers are given; one for all requests, for reads are coalesced across them. */
  stores(database: Database): Partial<Context>;
  readonly routes: readonly Route[];
  /** An example for each component, by its name. */
  readonly examples: ResourceText['examples'];
  /** The tags of its routes, under the groups of the navigation, with their descriptions. */
  readonly tags: ResourceText['tagGroups'];
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

/** What resolvers are given. */
export function contextOf({ resources }: Application, database: Database, lifecycle: LifecycleStore): Context {
  // A resolver asks for no store but that of a resource, and what is not among them adds nothing to the schema.
  return Object.assign({ lifecycle }, ...resources.map(({ stores }) => stores(database)));
}

/** Every HTTP operation of the application, with the engine's own. */
export function routesOf({ resources }: Pick<Application, 'resources'>): readonly Route[] {
  return [...resources, lifecycleResource].flatMap(({ routes }) => routes);
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
  { title, openApi, resources }: Pick<Application, 'title' | 'openApi' | 'resources'>,
  endpoints: readonly Endpoint[],
  basePath: string,
) {
  const all = [lifecycleResource, ...resources];
  const tagGroups: Record<string, Record<string, string>> = {};
  for (const { tags } of [...resources, lifecycleResource]) {
    for (const [group, own] of Object.entries(tags)) tagGroups[group] = { ...tagGroups[group], ...own };
  }
  return openApiDocument(endpoints, {
    ...openApi,
    title,
    basePath,
    tagGroups,
    examples: Object.assign({}, ...all.map(({ examples }) => examples), openApi.examples),
    plurals: Object.assign({}, ...all.map(({ plurals }) => plurals)),
    optional: Object.assign({}, ...all.map(({ optional }) => optional)),
  });
}
