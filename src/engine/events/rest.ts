import { type DocumentNode, Kind, print } from 'graphql';
import { gql, type Reply, route } from '../rest/route.ts';
import { NOW } from './cursor.ts';
import { DEFAULT_PAGE_EVENTS } from './graphql.ts';
import type { EventSource } from './source.ts';

/** @param documents of the application's routes: a row has the fields in an event that its own routes return */
export function eventResource(sources: readonly EventSource[], documents: readonly DocumentNode[]) {
  const types = [...new Set(sources.map(({ type }) => type.name))];
  const fragments = types.map((type) => fragmentOf(type, documents));
  return {
    routes: [
      route('GET', '/events', {
        tag: 'Events',
        operation: gql`query listEvents(
          $after: String, $type: [EventType!], $subject: String, $limit: Int = ${String(DEFAULT_PAGE_EVENTS)}, $wait: Int = 0
        ) {
          events(after: $after, types: $type, subject: $subject, first: $limit, wait: $wait) {
            nodes { ...Event } pageInfo { endCursor }
          }
        }
        fragment Event on Event {
          specversion id source type subject time datacontenttype correlationid data { ${types.map((type) => `...${type}`).join(' ')} }
        }
        ${fragments.join(' ')}`,
        reply: feedPage(),
        errors: ['NOT_FOUND', 'GONE'],
        parameters: { limit: 'The maximum number of events. Accepts 1 to 500.' },
        stream:
          'The same events as they come: `id`, `event` with the type, and `data` with the event as JSON. It has no end, so ' +
          '`limit` and `wait` are for pages alone.',
      }),
    ],
    tags: { Service: { Events: 'What has happened, in order.' } },
  };
}

function fragmentOf(type: string, documents: readonly DocumentNode[]): string {
  const fragment = documents
    .flatMap(({ definitions }) => definitions)
    .find((node) => node.kind === Kind.FRAGMENT_DEFINITION && node.name.value === type);
  if (fragment !== undefined) return print(fragment);
  throw new Error(`The routes have no fragment ${type}, whose fields the events would have.`);
}

/**
 * `Link` has the address to go on with, even at the end of the feed. A full page after an event never changes, so
 * caches may keep it forever (RFC 9111, RFC 8246). The first page, and that after `now`, change later.
 */
function feedPage(): Reply {
  return {
    kind: 'list',
    selects: ['nodes', 'pageInfo.endCursor'],
    statuses: { 200: { description: 'A page of the feed.', headers: ['Link'] } },
    answer: (value, { after, limit = DEFAULT_PAGE_EVENTS }, context) => {
      type Selected = { readonly nodes: readonly unknown[]; readonly pageInfo: { readonly endCursor: string } };
      const { nodes, pageInfo } = value as Selected;
      const isFixed = nodes.length === limit && typeof after === 'string' && after !== NOW;
      const caching = isFixed ? ['cache-control', 'max-age=31536000, immutable'] : [];
      const link = ['link', `<${context.nextPage(pageInfo.endCursor)}>; rel="next"`];
      return { status: 200, body: nodes, headers: [...link, ...caching, 'vary', 'Accept'] };
    },
  };
}
