import { beta, rowEvents, rowVersion, text } from '../../engine/index.ts';
import { builder, readFields, writeFields } from '../schema.ts';
import { categoryList, type categoryStore } from './store.ts';
import { CATEGORY_LENGTHS, type Category } from './table.ts';

declare module '../../engine/schema/context.ts' {
  interface Context {
    readonly categories: ReturnType<typeof categoryStore>;
  }
}

const name = text(CATEGORY_LENGTHS.name);
const description = text(CATEGORY_LENGTHS.description);

export const CategoryType = builder.objectRef<Category>('Category').implement({
  description: 'A group of pets, for example a kind of animal.',
  fields: (t) => ({
    id: t.expose('id', { type: 'Int64', description: 'Unique identifier, assigned on creation.' }),
    name: t.exposeString('name', {
      description: 'Category name; not unique.',
      bounds: name,
    }),
    description: t.exposeString('description', {
      nullable: true,
      description: 'Short description of the category.',
      bounds: description,
    }),
    version: t.expose('version', rowVersion),
  }),
});

const reads = readFields(CategoryType, {
  one: 'category',
  many: 'categories',
  list: categoryList,
  store: ({ categories }) => categories,
});

const writes = writeFields(CategoryType, {
  one: 'category',
  scope: 'catalogue:write',
  store: ({ categories }) => categories,
  fields: (t) => ({
    name: t.string({ required: true, bounds: name, description: 'Category name (for example a kind of animal).' }),
    description: t.string({ bounds: description, description: 'Short description of the category.' }),
  }),
});

builder.queryFields((t) => ({
  category: t.field(reads.byId),
  categories: t.field(
    reads.list({
      name: t.arg.string({ bounds: name, description: 'Only names that start with this, ignoring case.' }),
    }),
  ),
}));

builder.mutationFields((t) => ({
  createCategory: t.field(writes.create),
  replaceCategory: t.field({
    ...writes.replace,
    description: 'Replace a category. A description that is left out is removed.',
  }),
  updateCategory: t.field({ ...writes.update, lifecycle: beta() }),
  deleteCategory: t.field({ ...writes.delete, description: 'Delete a category. It must have no pets.' }),
}));

export const categoryEvents = rowEvents({ one: 'category', list: categoryList, type: CategoryType });
