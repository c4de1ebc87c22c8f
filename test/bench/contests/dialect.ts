import { askGraphQL, type PlainAnswer, type PlainRequest, post } from './request.ts';

type List = 'orders' | 'pets';

/** How to send requests to a contestant and read its responses, where contestants differ. */
export interface Dialect {
  petById(id: number): PlainRequest;
  petsAfter(cursor: string): PlainRequest;
  /** The cursors of the rows in the order of their ids, from the contestant itself. */
  cursors(base: string, list: List, ids: readonly number[]): Promise<string[]>;
  /** The response in the format of the contract. */
  read(answer: PlainAnswer): PlainAnswer;
}

const PAGE = 20;
/** The number of cursors per request: the maximum page size of the service. */
const CHUNK = 100;

const queries = {
  petById: 'query pet($petId: Int64!) { pet(petId: $petId) { id name categoryId status } }',
  petsAfter: `query pets($first: Int!, $after: String) {
    pets(first: $first, after: $after) { nodes { id name status category { id name } inventory { quantity } } }
  }`,
};

const ours: Pick<Dialect, 'petById' | 'petsAfter' | 'read'> = {
  petById: (petId) => graphql(queries.petById, { petId }),
  petsAfter: (after) => graphql(queries.petsAfter, { first: PAGE, after }),
  read: (answer) => ({ ...answer, body: withoutExtensions(answer.body) }),
};

/** The service itself: its cursors are opaque, and read with a filter for the rows. */
export const serviceDialect: Dialect = {
  ...ours,
  cursors: (base, list, ids) =>
    inChunks(ids, async (chunk) => {
      const query = `query ($ids: [Int64!]) { ${list}(id: $ids, first: ${CHUNK}) { edges { cursor node { id } } } }`;
      const { [list]: page } = await askGraphQL(base, query, { ids: [...new Set(chunk)] });
      const { edges } = page as { edges: readonly { cursor: string; node: { id: number } }[] };
      const byId = new Map(edges.map(({ cursor, node }) => [node.id, cursor]));
      return chunk.map((id) => byId.get(id));
    }),
};

/** The peers that are written for the benchmark: a cursor is an encoded id. */
export const peerDialect: Dialect = {
  ...ours,
  cursors: async (_base, _list, ids) => ids.map((id) => Buffer.from(String(id)).toString('base64url')),
};

/** PostGraphile has a schema of its own: aliases give it the contract's names, and its BigInt is a string. */
export const postgraphileDialect: Dialect = {
  petById: (petId) =>
    graphql('query pet($petId: BigInt!) { pet: petByRowId(rowId: $petId) { id: rowId name categoryId status } }', {
      petId: String(petId),
    }),
  petsAfter: (after) =>
    graphql(
      `query pets($first: Int!, $after: Cursor) {
        pets: allPets(first: $first, after: $after) {
          nodes {
            id: rowId name status
            category: categoryByCategoryId { id: rowId name } inventory: inventoryByPetId { quantity }
          }
        }
      }`,
      { first: PAGE, after },
    ),
  cursors: (base, _list, ids) =>
    inChunks(ids, async (chunk) => {
      const pages = chunk.map((id, n) => `c${n}: allPets(condition: { rowId: "${id}" }) { edges { cursor } }`);
      const data = await askGraphQL(base, `{ ${pages.join(' ')} }`);
      const found = data as Record<string, { edges: readonly { cursor: string }[] }>;
      return chunk.map((_, n) => found[`c${n}`]?.edges[0]?.cursor);
    }),
  read: (answer) => ({ ...answer, body: withNumbers(withoutExtensions(answer.body)) }),
};

function graphql(query: string, variables: object): PlainRequest {
  return post('/graphql', { query, variables });
}

async function inChunks(
  ids: readonly number[],
  find: (chunk: readonly number[]) => Promise<readonly (string | undefined)[]>,
): Promise<string[]> {
  const cursors: string[] = [];
  for (let at = 0; at < ids.length; at += CHUNK) {
    for (const [n, cursor] of (await find(ids.slice(at, at + CHUNK))).entries()) {
      if (cursor === undefined) throw new Error(`There is no cursor of the row ${ids[at + n]}.`);
      cursors.push(cursor);
    }
  }
  return cursors;
}

/** Removes the extensions, such as the lifecycle, which are not part of the contest. */
function withoutExtensions(body: unknown): unknown {
  if (typeof body !== 'object' || body === null || Array.isArray(body)) return body;
  const { extensions: _, ...rest } = body as Record<string, unknown>;
  return rest;
}

function withNumbers(value: unknown, name = ''): unknown {
  if (Array.isArray(value)) return value.map((item) => withNumbers(item));
  if (typeof value === 'object' && value !== null) {
    return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, withNumbers(item, key)]));
  }
  return /^(id|categoryId)$/.test(name) && typeof value === 'string' ? Number(value) : value;
}
