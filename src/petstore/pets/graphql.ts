import { beta, changing, deprecated, type InputFields, reference, rowVersion, text } from '../../engine/index.ts';
import { CategoryType } from '../categories/graphql.ts';
import { builder, connectionTo, expectedVersion, pagingArgs } from '../schema.ts';
import { petList } from './list.ts';
import type { PetStore } from './store.ts';
import { PET_NAME_LENGTH, type Pet } from './table.ts';

declare module '../../engine/schema/context.ts' {
  interface Context {
    readonly pets: PetStore;
  }
}

const name = text({ min: 1, max: PET_NAME_LENGTH });

export const PetStatus = builder.enumType('PetStatus', {
  description: 'The status of a pet. If its stock is tracked, the stock determines it.',
  values: {
    available: { description: 'It can be ordered.' },
    pending: { description: 'None is left in stock, and an order is not complete yet.' },
    sold: { description: 'None is left in stock, and all orders are complete.' },
  },
});

const PetSort = builder.enumType('PetSort', {
  description: 'How pets are sorted.',
  values: {
    id: { description: 'Oldest first.' },
    id_desc: { description: 'Newest first.' },
    name: { description: 'By name, ignoring case.' },
    name_desc: { description: 'By name in reverse, ignoring case.' },
  },
});

export const PetType = builder.objectRef<Pet>('Pet').implement({
  description: 'An animal of the catalogue.',
  fields: (t) => ({
    id: t.expose('id', { type: 'Int64', description: 'Unique identifier, assigned on creation.' }),
    name: t.exposeString('name', {
      description: "The animal's name; not unique.",
      extensions: { maxLength: PET_NAME_LENGTH },
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
      description: 'The category the animal belongs to. Null only if it is deleted while the answer is made.',
      ...reference(
        'category',
        (pet: Pet) => pet.categoryId,
        ({ categories }) => categories.byId,
      ),
    }),
  }),
});

const PetConnection = connectionTo(PetType, 'pets', petList);

builder.objectField(CategoryType, 'pets', (t) =>
  t.field({
    type: PetConnection,
    description: 'The pets of the category, sorted by id.',
    args: pagingArgs,
    resolve: (category, window, { pets }) => pets.listOfCategory(category.id, window),
  }),
);

const fields = (t: InputFields) => ({
  name: t.string({ required: true, bounds: name, description: "The animal's name." }),
  categoryId: t.field({
    type: 'Int64',
    required: true,
    description: 'Identifier of the category the animal belongs to.',
  }),
  status: t.field({ type: PetStatus, defaultValue: 'available', description: 'Status of the pet.' }),
});

const NewPet = builder.inputType('NewPet', { description: 'A new pet.', fields });

const PetChanges = builder.inputType('PetChanges', {
  description: 'Changes to a pet. Fields that are left out stay as they are.',
  fields: (t) => changing(fields(t)),
});

const petId = builder.args((t) => ({
  petId: t.field({ type: 'Int64', required: true, description: 'Identifier of the pet.' }),
}));

builder.queryFields((t) => ({
  pet: t.field({
    type: PetType,
    nullable: true,
    lifecycle: deprecated({
      since: '2026-07-01',
      sunset: '2027-12-31',
      successor: { coordinate: 'Query.pets', args: { id: 'petId' } },
      why: 'Lists take many ids at once and answer in one shape.',
    }),
    description: 'Get a pet by its id.',
    args: petId,
    resolve: (_, { petId: id }, { pets }) => pets.byId.load(id),
  }),
  pets: t.field({
    type: PetConnection,
    description: 'List pets.',
    args: {
      id: t.arg({ type: ['Int64'], description: 'Only pets with one of these ids.' }),
      status: t.arg({ type: [PetStatus], description: 'Only pets with one of these statuses.' }),
      categoryId: t.arg({ type: ['Int64'], description: 'Only pets of one of these categories.' }),
      name: t.arg.string({ bounds: name, description: 'Only names that start with this, ignoring case.' }),
      sort: t.arg({ type: PetSort, defaultValue: 'id', description: 'How the list is sorted.' }),
      ...pagingArgs,
    },
    resolve: (_, { id, status, categoryId, name: prefix, sort, ...window }, { pets }) =>
      pets.list({ id, status, categoryId, name: prefix }, sort ?? 'id', window),
  }),
}));

builder.mutationFields((t) => ({
  createPet: t.field({
    type: PetType,
    scope: 'catalogue:write',
    description: 'Create a pet.',
    args: { pet: t.arg({ type: NewPet, required: true, description: 'The new pet.' }) },
    resolve: (_, { pet }, { pets }) => pets.create(pet),
  }),
  replacePet: t.field({
    type: PetType,
    scope: 'catalogue:write',
    description: 'Replace a pet. A status that is left out becomes `available`.',
    args: {
      ...petId,
      pet: t.arg({ type: NewPet, required: true, description: 'The pet as it should be.' }),
      ...expectedVersion,
    },
    resolve: (_, { petId: id, pet, expectedVersion: expected }, { pets }) => pets.replace(id, pet, expected),
  }),
  updatePet: t.field({
    type: PetType,
    scope: 'catalogue:write',
    lifecycle: beta(),
    description: 'Change some fields of a pet. Fields that are left out stay as they are.',
    args: {
      ...petId,
      changes: t.arg({ type: PetChanges, required: true, description: 'The changes.' }),
      ...expectedVersion,
    },
    resolve: (_, { petId: id, changes, expectedVersion: expected }, { pets }) => pets.update(id, changes, expected),
  }),
  deletePet: t.field({
    type: PetType,
    scope: 'catalogue:write',
    description: 'Delete a pet and its inventory entry. It must have no orders.',
    args: { ...petId, ...expectedVersion },
    resolve: (_, { petId: id, expectedVersion: expected }, { pets }) => pets.delete(id, expected),
  }),
}));
