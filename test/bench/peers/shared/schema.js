import { GraphQLScalarType, Kind } from 'graphql';
import { encodeCursor } from './cursor.js';

/** The part of the service's schema that the workloads use. */
export const typeDefs = `
  scalar Int64
  enum PetStatus { available pending sold }
  type Category { id: Int64! name: String! description: String }
  type InventoryItem { petId: Int64! quantity: Int! }
  type Pet {
    id: Int64!
    name: String!
    categoryId: Int64!
    status: PetStatus!
    category: Category
    inventory: InventoryItem
  }
  type PageInfo { endCursor: String }
  type PetConnection { nodes: [Pet!]! pageInfo: PageInfo! }
  input NewPet { name: String! categoryId: Int64! status: PetStatus = available }
  type Query {
    pet(petId: Int64!): Pet
    pets(first: Int = 20, after: String): PetConnection!
  }
  type Mutation { createPet(pet: NewPet!): Pet! }
`;

/** A JSON integer, as far as a number is exact. */
export const Int64 = new GraphQLScalarType({
  name: 'Int64',
  serialize: Number,
  parseValue: exact,
  parseLiteral: (node) => exact(node.kind === Kind.INT ? Number(node.value) : undefined),
});

/** The connection of a page of pets. */
export function toConnection(nodes) {
  const last = nodes.at(-1);
  return { nodes, pageInfo: { endCursor: last === undefined ? null : encodeCursor(last.id) } };
}

function exact(value) {
  if (!Number.isSafeInteger(value)) throw new TypeError('Int64 must be an integer.');
  return value;
}
