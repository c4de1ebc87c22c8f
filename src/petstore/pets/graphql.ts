import { beta, deprecated, reference, rowEvents, rowVersion, text } from '../../engine/index.ts';
import { CategoryType } from '../categories/graphql.ts';
import { builder, pagingArgs, readFields, writeFields } from '../schema.ts';
import { petList, type petStore } from './store.ts';
import { PET_NAME_LENGTH, type Pet } from './table.ts';

declare module '../../engine/schema/context.ts' {
  interface Context {
    readonly pets: ReturnType<typeof petStore>;
  }
}

const name = text(PET_NAME_LENGTH);

export const PetStatus = builder.enumType('PetStatus', {
  description:
    'The status of a pet. If its stock is tracked, each change or count of the stock and each completed order determines it; one that a client sets stays until then.',
  values: {
    available: { description: 'It can be ordered.' },
    pending: { description: 'None is left in stock, and an order is not complete yet.' },
    sold: { description: 'None is left in stock, and all orders are complete.' },
  },
});

export const PetType = builder.objectRef<Pet>('Pet').implement({
  description: 'An animal of the catalogue.',
  fields: (t) => ({
    id: t.expose('id', { type: 'Int64', description: 'Unique identifier, assigned on creation.' }),
    name: t.exposeString('name', {
      description: "The animal's name; not unique.",
      bounds: name,
    }),
    categoryId: t.expose('categoryId', {
      type: 'Int64',
      description: 'Identifier of the category the animal belongs to.',
    }),
    status: t.expose('status', { type: PetStatus, description: 'Status of the pet.' }),
    version: t.expose('version', rowVersion),
    category: t.field({
      type: CategoryType,
      nullable: true,
      description:
        'The category the animal belongs to. Null only if it was deleted later than the pet was read, as in an old event.',
      ...reference('category', 'categoryId', ({ categories }) => categories.byId),
    }),
  }),
});

const reads = readFields(PetType, { one: 'pet', many: 'pets', list: petList, store: ({ pets }) => pets });

builder.objectField(CategoryType, 'pets', (t) =>
  t.field({
    type: reads.connection,
    description: 'The pets of the category, sorted by id.',
    args: pagingArgs,
    resolve: (category, window, { pets }) => pets.listOfCategory(category.id, window),
  }),
);

const writes = writeFields(PetType, {
  one: 'pet',
  scope: 'catalogue:write',
  store: ({ pets }) => pets,
  fields: (t) => ({
    name: t.string({ required: true, bounds: name, description: "The animal's name." }),
    categoryId: t.field({
      type: 'Int64',
      required: true,
      description: 'Identifier of the category the animal belongs to.',
    }),
    status: t.field({ type: PetStatus, defaultValue: 'available', description: 'Status of the pet.' }),
  }),
});

builder.queryFields((t) => ({
  pet: t.field({
    ...reads.byId,
    lifecycle: deprecated({
      since: '2026-07-01',
      sunset: '2027-12-31',
      successor: { coordinate: 'Query.pets', args: { id: 'petId' } },
      why: 'Lists take many ids at once and answer in one shape.',
    }),
  }),
  pets: t.field(
    reads.list({
      status: t.arg({ type: [PetStatus], description: 'Only pets with one of these statuses.' }),
      categoryId: t.arg({ type: ['Int64'], description: 'Only pets of one of these categories.' }),
      name: t.arg.string({ bounds: name, description: 'Only names that start with this, ignoring case.' }),
    }),
  ),
}));

builder.mutationFields((t) => ({
  createPet: t.field(writes.create),
  replacePet: t.field({
    ...writes.replace,
    description: 'Replace a pet. A status that is left out becomes `available`.',
  }),
  updatePet: t.field({ ...writes.update, lifecycle: beta() }),
  deletePet: t.field({
    ...writes.delete,
    description: 'Delete a pet and its inventory entry. It must have no orders.',
  }),
}));

export const petEvents = rowEvents({ one: 'pet', list: petList, type: PetType });
