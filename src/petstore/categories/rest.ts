import { type Resource, route, rowRoutes } from '../../engine/index.ts';
import './graphql.ts';
import { categoryStore } from './store.ts';

const category = rowRoutes({ tag: 'Categories', type: 'Category', fields: 'id name description' });

export const categoryResource: Resource = {
  stores: (database) => ({ categories: categoryStore(database) }),
  routes: [
    route('GET', '/categories', category.list('categories')),
    route('POST', '/categories', category.create('createCategory', '/categories/{id}')),
    route('GET', '/categories/{categoryId}', category.byId('category')),
    route('PUT', '/categories/{categoryId}', category.replace('replaceCategory')),
    route('PATCH', '/categories/{categoryId}', category.update('updateCategory')),
    route('DELETE', '/categories/{categoryId}', { ...category.delete('deleteCategory'), errors: ['CONFLICT'] }),
  ],
  examples: {
    Category: { id: 1, name: 'Dogs', description: 'Companions of every size.' },
    NewCategory: { name: 'Dogs', description: 'Companions of every size.' },
    CategoryChanges: { description: 'Companions of every size.' },
  },
  tags: { Pets: { Categories: 'The groups that animals belong to.' } },
};
