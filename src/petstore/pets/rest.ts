import { type Resource, route, rowRoutes } from '../../engine/index.ts';
import './graphql.ts';
import { petStore } from './store.ts';

const pet = rowRoutes({ tag: 'Animals', type: 'Pet', fields: 'id name categoryId status' });

export const petResource: Resource = {
  stores: (database) => ({ pets: petStore(database) }),
  routes: [
    route('GET', '/pets', pet.list('pets')),
    route('POST', '/pets', { ...pet.create('createPet', '/pets/{id}'), errors: ['UNKNOWN_REFERENCE'] }),
    route('GET', '/pets/{petId}', pet.byId('pet')),
    route('PUT', '/pets/{petId}', { ...pet.replace('replacePet'), errors: ['UNKNOWN_REFERENCE'] }),
    route('PATCH', '/pets/{petId}', { ...pet.update('updatePet'), errors: ['UNKNOWN_REFERENCE'] }),
    route('DELETE', '/pets/{petId}', { ...pet.delete('deletePet'), errors: ['CONFLICT'] }),
  ],
  examples: {
    Pet: { id: 12, name: 'Rex', categoryId: 1, status: 'available' },
    NewPet: { name: 'Rex', categoryId: 1, status: 'available' },
    PetChanges: { status: 'pending' },
    PetStatus: 'available',
  },
  tags: { Pets: { Animals: 'The animals of the catalogue.' } },
  // As in the specification, although these always have a value.
  optional: { Pet: ['status'] },
};
