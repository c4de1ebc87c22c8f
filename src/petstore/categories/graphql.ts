import { beta, changing, type InputFields, rowVersion, text } from '../../engine/index.ts';
import { builder, connectionTo, expectedVersion, pagingArgs } from '../schema.ts';
import { categoryList } from './list.ts';
import type { CategoryStore } from './store.ts';
import { CATEGORY_LENGTHS, type Category } from './table.ts';

declare module '../../engine/schema/context.ts' {
  interface Context {
    readonly categories: CategoryStore;
  }
}

const name = text({ min: 1, max: CATEGORY_LENGTHS.name });
const description = text({ min: 0, max: CATEGORY_LENGTHS.description });

const CategorySort = builder.enumType('CategorySort', {
  description: 'How categories are sorted.',
  values: {
    id: { description: 'Oldest first.' },
    id_desc: { description: 'Newest first.' },
    name: { description: 'By name, ignoring case.' },
    name_desc: { description: 'By name in reverse, ignoring case.' },
  },
});

export const CategoryType = builder.objectRef<Category>('Category').implement({
  description: 'A group of pets, for example a kind of animal.',
  fields: (t) => ({
    id: t.expose('id', { type: 'Int64', description: 'Unique identifier, assigned on creation.' }),
    name: t.exposeString('name', {
      description: 'Category name; not unique.',
      extensions: { maxLength: CATEGORY_LENGTHS.name },
    }),
    description: t.exposeString('description', {
      nullable: true,
      description: 'Short description of the category.',
      extensions: { maxLength: CATEGORY_LENGTHS.description },
    }),
    version: t.expose('version', rowVersion),
  }),
});

const CategoryConnection = connectionTo(CategoryType, 'categories', categoryList);

const fields = (t: InputFields) => ({
  name: t.string({ required: true, bounds: name, description: 'Category name (for example a kind of animal).' }),
  description: t.string({ bounds: description, description: 'Short description of the category.' }),
});

const NewCategory = builder.inputType('NewCategory', { description: 'A new category.', fields });

const CategoryChanges = builder.inputType('CategoryChanges', {
  description: 'Changes to a category. Fields that are left out stay as they are.',
  fields: (t) => changing(fields(t)),
});

const categoryId = builder.args((t) => ({
  categoryId: t.field({ type: 'Int64', required: true, description: 'Identifier of the category.' }),
}));

builder.queryFields((t) => ({
  category: t.field({
    type: CategoryType,
    nullable: true,
    description: 'Get a category by its id.',
    args: categoryId,
    resolve: (_, { categoryId: id }, { categories }) => categories.byId.load(id),
  }),
  categories: t.field({
    type: CategoryConnection,
    description: 'List categories.',
    args: {
      id: t.arg({ type: ['Int64'], description: 'Only categories with one of these ids.' }),
      name: t.arg.string({ bounds: name, description: 'Only names that start with this, ignoring case.' }),
      sort: t.arg({ type: CategorySort, defaultValue: 'id', description: 'How the list is sorted.' }),
      ...pagingArgs,
    },
    resolve: (_, { id, name: prefix, sort, ...window }, { categories }) =>
      categories.list({ id, name: prefix }, sort ?? 'id', window),
  }),
}));

builder.mutationFields((t) => ({
  createCategory: t.field({
    type: CategoryType,
    scope: 'catalogue:write',
    description: 'Create a category.',
    args: { category: t.arg({ type: NewCategory, required: true, description: 'The new category.' }) },
    resolve: (_, { category }, { categories }) => categories.create(category),
  }),
  replaceCategory: t.field({
    type: CategoryType,
    scope: 'catalogue:write',
    description: 'Replace a category. A description that is left out is removed.',
    args: {
      ...categoryId,
      category: t.arg({ type: NewCategory, required: true, description: 'The category as it should be.' }),
      ...expectedVersion,
    },
    resolve: (_, { categoryId: id, category, expectedVersion: expected }, { categories }) =>
      categories.replace(id, category, expected),
  }),
  updateCategory: t.field({
    type: CategoryType,
    scope: 'catalogue:write',
    lifecycle: beta(),
    description: 'Change some fields of a category. Fields that are left out stay as they are.',
    args: {
      ...categoryId,
      changes: t.arg({ type: CategoryChanges, required: true, description: 'The changes.' }),
      ...expectedVersion,
    },
    resolve: (_, { categoryId: id, changes, expectedVersion: expected }, { categories }) =>
      categories.update(id, changes, expected),
  }),
  deleteCategory: t.field({
    type: CategoryType,
    scope: 'catalogue:write',
    description: 'Delete a category. It must have no pets.',
    args: { ...categoryId, ...expectedVersion },
    resolve: (_, { categoryId: id, expectedVersion: expected }, { categories }) => categories.delete(id, expected),
  }),
}));
