import { createHash } from 'node:crypto';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { renderGraphiQL } from '@graphql-yoga/render-graphiql';
import type { HttpReply } from '../http/reply.ts';

/**
 * The playground: GraphiQL from this service alone. It is some 9 MB, so it is compressed once, when it is first asked
 * for, and a browser that has it is told so.
 *
 * @param endpoint the path of the GraphQL endpoint
 */
export function createPlayground(endpoint: string): (headers: Headers) => Promise<HttpReply> {
  let made: Promise<Page> | undefined;
  return async (headers) => {
    made ??= makePage(endpoint);
    const { plain, compressed, etag } = await made;
    const always = { etag, 'cache-control': 'no-cache', vary: 'Accept, Accept-Encoding' };
    if (headers.get('if-none-match') === etag) return { status: 304, headers: always, body: null };
    const isCompressed = /\bgzip\b/.test(headers.get('accept-encoding') ?? '');
    const type = { ...always, 'content-type': 'text/html; charset=utf-8' };
    if (!isCompressed) return { status: 200, headers: type, body: plain };
    return { status: 200, headers: { ...type, 'content-encoding': 'gzip' }, body: compressed };
  };
}

interface Page {
  readonly plain: string;
  readonly compressed: Uint8Array<ArrayBuffer>;
  readonly etag: string;
}

async function makePage(endpoint: string): Promise<Page> {
  const plain = renderGraphiQL({
    title: 'Pet store: GraphQL',
    endpoint,
    defaultTabs: examples.map((query) => ({ query })),
  });
  const compressed = new Uint8Array(await promisify(gzip)(plain));
  const etag = `"${createHash('sha256').update(plain).digest('base64url')}"`;
  return { plain, compressed, etag };
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
