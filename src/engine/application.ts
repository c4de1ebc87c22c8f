import type { GraphQLSchema } from 'graphql';
import type { Database } from './db/client.ts';
import { asyncApiDocument } from './events/asyncapi.ts';
import { eventResource } from './events/rest.ts';
import type { EventSource } from './events/source.ts';
import type { JsonSchema } from './openapi/components.ts';
import { type DocumentText, openApiDocument } from './openapi/document.ts';
import { compileRoutes, type Endpoint } from './rest/compile.ts';
import { documentOf, type Route } from './rest/route.ts';
import type { Context } from './schema/context.ts';
import { lifecycleResource } from './usage/rest.ts';
import { webhookResource } from './webhooks/rest.ts';
import { type WebhookStoreOptions, webhookStore } from './webhooks/store.ts';

export interface Application {
  /** Its name for people, such as `Bookshop`. */
  readonly title: string;
  /** For programs, such as `bookshop`: letters, digits and hyphens. */
  readonly name: string;
  readonly schema: GraphQLSchema;
  readonly resources: readonly Resource[];
  /** The parts of the OpenAPI document that come neither from the schema nor from the resources. */
  readonly openApi: Pick<DocumentText, 'version' | 'description' | 'examples' | 'headerExamples'>;
  readonly home: HomeText;
  /** GraphQL documents that the playground opens, each in a tab. */
  readonly playground: readonly string[];
}

/** A resource: its stores and routes. The file that declares it imports the resource's part of the schema. */
export interface Resource extends Partial<Pick<DocumentText, 'examples' | 'plurals' | 'optional'>> {
  /** Its part of the resolvers' context: one for all requests, because loaders batch reads across requests. */
  stores(database: Database): Partial<Context>;
  readonly routes: readonly Route[];
  /** The tags of its routes, under the groups of the navigation, with their descriptions. */
  readonly tags: DocumentText['tagGroups'];
}

interface HomeText {
  /** What the application is, in a sentence or two. */
  readonly about: string;
  /** A REST request to follow from the page: its path and query, and what it shows. */
  readonly look: { readonly target: string; readonly about: string };
  /** The path and query of a first REST request, to copy. */
  readonly rest: string;
  /** The GraphQL document of a first request, to copy. */
  readonly graphql: string;
}

export function contextOf(
  { resources }: Application,
  database: Database,
  own: Pick<Context, 'lifecycle' | 'events' | 'streams'> & { readonly webhooks: WebhookStoreOptions },
): Context {
  const webhooks = webhookStore(database, own.webhooks);
  // This is a whole Context: every resolver belongs to a resource, and uses only the stores of resources.
  return Object.assign({ ...own, webhooks }, ...resources.map(({ stores }) => stores(database)));
}

/** The events of the schema. */
export function eventSourcesOf({ schema }: Application): readonly EventSource[] {
  return schema.extensions.events ?? [];
}

function allResources(application: Application): readonly Omit<Resource, 'stores'>[] {
  const { resources } = application;
  const events = eventSourcesOf(application);
  const documents = resources.flatMap(({ routes }) => routes.map((one) => documentOf(one, application.schema)));
  const ofEvents = events.length === 0 ? [] : [eventResource(events, documents), webhookResource];
  return [...resources, ...ofEvents, lifecycleResource];
}

/** All routes of the application, with the engine's own. */
export function routesOf(application: Application): readonly Route[] {
  return allResources(application).flatMap(({ routes }) => routes);
}

/** @throws {Error} if a route's operation does not fit the schema */
export function endpointsOf(application: Application): readonly Endpoint[] {
  return compileRoutes(application.schema, routesOf(application));
}

export function describeEndpoints(application: Application, endpoints: readonly Endpoint[], basePath: string) {
  const { title, openApi } = application;
  const resources = allResources(application);
  const tagGroups: Record<string, Record<string, string>> = {};
  for (const { tags } of resources) {
    for (const [group, own] of Object.entries(tags)) tagGroups[group] = { ...tagGroups[group], ...own };
  }
  return openApiDocument(endpoints, {
    ...openApi,
    title,
    basePath,
    tagGroups,
    examples: Object.assign({}, ...resources.map(({ examples }) => examples), openApi.examples),
    plurals: Object.assign({}, ...resources.map(({ plurals }) => plurals)),
    optional: Object.assign({}, ...resources.map(({ optional }) => optional)),
  });
}

/** The AsyncAPI document of the application's events; undefined if it has none. */
export function describeEvents(application: Application, openApi: JsonSchema, basePath: string) {
  const events = eventSourcesOf(application);
  const { version } = application.openApi;
  if (events.length === 0) return undefined;
  return asyncApiDocument(events, openApi, { title: application.title, version, basePath });
}
