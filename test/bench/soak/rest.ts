import type { Random } from '../data/random.ts';
import type { Kind, SoakRequest } from './hostile.ts';

const LISTS = ['/pets', '/categories', '/store/orders', '/store/inventory'];
const PAGES = ['/', '/lifecycle', '/lifecycle.ics', '/openapi.json', '/openapi.yaml', '/schema.graphql', '/reference'];
const HEALTH = ['/livez', '/readyz', '/metrics'];
const METHODS = ['PROPFIND', 'PURGE', 'TRACE', 'LINK', 'DELETE', 'PATCH', 'OPTIONS'];

/** Valid and invalid ids, filters, cursors, paths, methods and bodies; and some of the pages. */
export const restKinds: readonly Kind[] = [
  [8, (_, { integer }, { pets }) => send('GET', `/pets/${integer(1, pets)}`)],
  [5, (_, { pick }, { orderCursors }) => send('GET', `/store/orders?limit=20&after=${pick(orderCursors)}`)],
  [4, (n, { pick }) => send('GET', `${pick(LISTS)}/${pick([n, -n, `${n}x`, `%${n % 100}`, `9${n}000000000`])}`)],
  [4, (n, random) => send('GET', `${random.pick(LISTS)}?${filter(n, random)}`)],
  [2, (n, { pick }) => send('GET', `${pick(LISTS)}?after=${Buffer.from(`["pets.id","${n}"]`).toString('base64url')}`)],
  [3, (n) => send('GET', `/nowhere/${n}/${'x'.repeat(n % 300)}`)],
  [1, (n, { pick }) => send(pick(METHODS), `/pets/${n}`)],
  [1, (_, { pick }) => send('GET', pick([...PAGES, ...HEALTH]))],
  [1, (n, { integer }) => send('POST', '/pets', { name: `Pet ${n}`, categoryId: integer(1, 60) })],
  [1, (_, { integer }, { pets }) => send('POST', '/store/orders', { petId: integer(1, 2 * pets) })],
  [1, (n, { integer }) => send('PUT', `/categories/${integer(40, 60)}`, { name: `Category ${n}` })],
  [2, (n, { pick }) => send('POST', pick(LISTS), { [`field${n}`]: n, name: n, categoryId: `${n}` })],
  [
    1,
    (n, { pick }) => ({ ...send('POST', pick([...LISTS, '/graphql']), {}), body: `{"${n}": ${'['.repeat(n % 900)}` }),
  ],
];

function filter(n: number, { pick, integer }: Random): string {
  return `${pick(['name', 'status', 'id', 'petId', 'sort', `p${n}`])}=${n}&limit=${integer(-1, 101)}`;
}

function send(method: string, path: string, body?: object): SoakRequest {
  if (body === undefined) return { method, path, headers: {} };
  return { method, path, headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) };
}
