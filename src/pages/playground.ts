import { type ServedAsset, serveAsset } from '../http/asset.ts';
import { pageHeaders } from './policy.ts';

/** GraphiQL's editor writes styles as it goes, works in the background and brings its letters along. */
const NEEDS = { style: "'unsafe-inline'", connect: "'self'", worker: 'blob:', font: 'data:' };

/**
 * The playground: GraphiQL from this service alone, some 9 MB of it.
 *
 * @param endpoint the path of the GraphQL endpoint
 */
export function createPlayground(endpoint: string): ServedAsset {
  return serveAsset({
    contentType: 'text/html; charset=utf-8',
    make: async () => {
      // When it is first asked for: a start need not wait for it.
      const { renderGraphiQL } = await import('@graphql-yoga/render-graphiql');
      return renderGraphiQL({
        title: 'Pet store: GraphQL',
        endpoint,
        // What a reader types there is a credential.
        shouldPersistHeaders: false,
        defaultTabs: examples.map((query) => ({ query })),
      });
    },
    headers: (page) => [...pageHeaders(page, NEEDS), 'vary', 'Accept'],
  });
}

/** The documents that it opens with, each in a tab of its own. */
const examples: readonly string[] = [
  `# Five pets by name, with category and stock.
query Pets {
  pets(first: 5, sort: name) {
    nodes {
      id
      name
      status
      category {
        name
      }
      inventory {
        quantity
      }
    }
    pageInfo {
      hasNextPage
      endCursor
    }
  }
}
`,
  `# Orders that are not complete, the earliest ship date first.
query OpenOrders {
  orders(complete: false, sort: shipDate, first: 5) {
    totalCount
    nodes {
      id
      quantity
      shipDate
      pet {
        name
      }
    }
  }
}
`,
  `# What is marked, and who still uses it.
query Lifecycle {
  lifecycle {
    coordinate
    level
    sunset
    daysLeft
    successor
    verdict
    usesByClient {
      client
      uses
      lastSeenAt
    }
  }
}
`,
  `# A new pet in the first category.
mutation NewPet {
  createPet(pet: { name: "Rex", categoryId: 1 }) {
    id
    name
    status
  }
}
`,
];
