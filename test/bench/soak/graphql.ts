import { get, type PlainRequest, post } from '../contests/request.ts';
import { type Random, seeded } from '../data/random.ts';
import type { Kind, Known, SoakRequest } from './hostile.ts';

const PET_FIELDS = ['id', 'name', 'status', 'categoryId', 'category { id name }', 'inventory { quantity }'];
const BY_ID = 'query byId($id: Int64!) { pet(petId: $id) { name } }';
/** Among that many requests, that many documents are repeated. */
const AGAIN = { requests: 1_000, documents: 4 };

/** Documents that differ in their aliases, fields, names and comments, except for some. */
export const graphqlKinds: readonly Kind[] = [
  [30, (n, random, known) => graphql({ query: ofPet(n, random, known) })],
  [2, (n, random, known) => plain(get(`/graphql?query=${encodeURIComponent(ofPet(n, random, known))}`))],
  [6, (n, random) => graphql({ query: ofPets(n, random) })],
  [3, (n, random, known) => graphql(ofManyOperations(n, random, known))],
  [12, (n, random, known) => graphql(thatComesAgain(n, random, known))],
  [4, (n) => graphql({ query: BY_ID, operationName: `Unknown${n}` })],
  [3, (n, { integer }) => graphql({ query: BY_ID, variables: { id: integer(-9, 2 ** 50), [`v${n}`]: n } })],
  [3, (n) => graphql({ query: `{ pets { nodes { ${unknownFields(n)} } } }` })],
  [2, (n) => graphql({ query: `{ pets { nodes { id ${n} "${'('.repeat(n % 90)}` })],
  [1, (n, { integer }) => graphql({ query: `{ __typename } # ${n}${' '.repeat(integer(0, 60_000))}` })],
];

function ofPet(n: number, random: Random, { pets }: Known): string {
  const alias = random.pick([`a${n}: `, '', `pet_${n}: `]);
  return `query Of${n} { ${alias}pet(petId: ${random.integer(1, pets)}) { ${someFields(random)} b${n}: id } }`;
}

function ofPets(n: number, { integer }: Random): string {
  return `{ pets(first: ${integer(1, 20)}) { nodes { id n${n}: name category { name } } pageInfo { endCursor } } }`;
}

function ofManyOperations(n: number, { integer, pick }: Random, { pets }: Known): object {
  const names = Array.from({ length: integer(2, 20) }, (_, at) => `Of${n}_${at}`);
  const operations = names.map((name) => `query ${name} { pet(petId: ${integer(1, pets)}) { id name } }`);
  return { query: operations.join(' '), operationName: pick(names) };
}

/** Often enough for its operation to be compiled. */
function thatComesAgain(n: number, { integer }: Random, { pets }: Known): object {
  const number = Math.floor(n / AGAIN.requests) * AGAIN.documents + (n % AGAIN.documents);
  const fields = someFields(seeded(number));
  const selections = `a${number}: pet(petId: $id) { ${fields} } pets(first: 5) { nodes { ${fields} } }`;
  return { query: `query Again($id: Int64!) { ${selections} }`, variables: { id: integer(1, pets) } };
}

function someFields({ integer }: Random): string {
  const shuffled = [...PET_FIELDS].sort(() => integer(-1, 1));
  return shuffled.slice(integer(0, 4)).join(' ');
}

function unknownFields(n: number): string {
  return Array.from({ length: 1 + (n % 60) }, (_, at) => `unknown${n + at}`).join(' ');
}

function graphql(params: object): SoakRequest {
  return plain(post('/graphql', params));
}

function plain(request: PlainRequest): SoakRequest {
  return { ...request, headers: request.body === undefined ? {} : { 'content-type': 'application/json' } };
}
