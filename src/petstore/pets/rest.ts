import {
  created,
  gql,
  noContent,
  ok,
  page,
  pagingParameters,
  type Resource,
  type Route,
  route,
} from '../../engine/index.ts';
import './graphql.ts';
import { petStore } from './store.ts';

const Pet = 'fragment Pet on Pet { id name categoryId status }';
const tag = 'Animals';

const routes: readonly Route[] = [
  route('GET', '/pets', {
    tag,
    operation: gql`query listPets(
      $id: [Int64!], $status: [PetStatus!], $categoryId: [Int64!], $name: String, $sort: PetSort = id,
      $limit: Int = 20, $after: String
    ) {
      pets(
        id: $id, status: $status, categoryId: $categoryId, name: $name, sort: $sort, first: $limit, after: $after
      ) {
        nodes { ...Pet } pageInfo { hasNextPage endCursor }
      }
    } ${Pet}`,
    reply: page(),
    parameters: pagingParameters,
  }),
  route('POST', '/pets', {
    tag,
    operation: gql`mutation createPet($pet: NewPet!) { createPet(pet: $pet) { ...Pet version } } ${Pet}`,
    reply: created('/pets/{id}'),
    errors: ['UNKNOWN_REFERENCE'],
  }),
  route('GET', '/pets/{petId}', {
    tag,
    operation: gql`query getPet($petId: Int64!) { pet(petId: $petId) { ...Pet version } } ${Pet}`,
    reply: ok('No pet has the id {petId}.'),
  }),
  route('PUT', '/pets/{petId}', {
    tag,
    operation: gql`mutation replacePet($petId: Int64!, $pet: NewPet!, $expectedVersion: [Int64!]) {
      replacePet(petId: $petId, pet: $pet, expectedVersion: $expectedVersion) { ...Pet }
    } ${Pet}`,
    reply: ok(),
    errors: ['UNKNOWN_REFERENCE'],
  }),
  route('PATCH', '/pets/{petId}', {
    tag,
    operation: gql`mutation updatePet($petId: Int64!, $changes: PetChanges!, $expectedVersion: [Int64!]) {
      updatePet(petId: $petId, changes: $changes, expectedVersion: $expectedVersion) { ...Pet version }
    } ${Pet}`,
    reply: ok(),
    errors: ['UNKNOWN_REFERENCE'],
  }),
  route('DELETE', '/pets/{petId}', {
    tag,
    operation: gql`mutation deletePet($petId: Int64!, $expectedVersion: [Int64!]) {
      deletePet(petId: $petId, expectedVersion: $expectedVersion) { id }
    }`,
    reply: noContent(),
    errors: ['CONFLICT'],
  }),
];

const examples = {
  Pet: { id: 12, name: 'Rex', categoryId: 1, status: 'available' },
  Pets: [{ id: 12, name: 'Rex', categoryId: 1, status: 'available' }],
  NewPet: { name: 'Rex', categoryId: 1, status: 'available' },
  PetChanges: { status: 'pending' },
  PetStatus: 'available',
};

export const petResource: Resource = {
  stores: (database) => ({ pets: petStore(database) }),
  routes,
  examples,
  tags: { Pets: { Animals: 'The animals of the catalogue.' } },
  plurals: { listPets: 'Pets' },
  // As in the specification, although these always have a value.
  optional: { Pet: ['status'] },
};
