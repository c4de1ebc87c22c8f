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
import { categoryStore } from './store.ts';

const Category = 'fragment Category on Category { id name description }';
const tag = 'Categories';

const routes: readonly Route[] = [
  route('GET', '/categories', {
    tag,
    operation: gql`query listCategories(
      $id: [Int64!], $name: String, $sort: CategorySort = id, $limit: Int = 20, $after: String
    ) {
      categories(id: $id, name: $name, sort: $sort, first: $limit, after: $after) {
        nodes { ...Category } pageInfo { hasNextPage endCursor }
      }
    } ${Category}`,
    reply: page(),
    parameters: pagingParameters,
  }),
  route('POST', '/categories', {
    tag,
    operation: gql`mutation createCategory($category: NewCategory!) {
      createCategory(category: $category) { ...Category version }
    } ${Category}`,
    reply: created('/categories/{id}'),
  }),
  route('GET', '/categories/{categoryId}', {
    tag,
    operation: gql`query getCategory($categoryId: Int64!) {
      category(categoryId: $categoryId) { ...Category version }
    } ${Category}`,
    reply: ok('No category has the id {categoryId}.'),
  }),
  route('PUT', '/categories/{categoryId}', {
    tag,
    operation: gql`mutation replaceCategory($categoryId: Int64!, $category: NewCategory!, $expectedVersion: [Int64!]) {
      replaceCategory(categoryId: $categoryId, category: $category, expectedVersion: $expectedVersion) { ...Category }
    } ${Category}`,
    reply: ok(),
  }),
  route('PATCH', '/categories/{categoryId}', {
    tag,
    operation: gql`mutation updateCategory(
      $categoryId: Int64!, $changes: CategoryChanges!, $expectedVersion: [Int64!]
    ) {
      updateCategory(categoryId: $categoryId, changes: $changes, expectedVersion: $expectedVersion) {
        ...Category version
      }
    } ${Category}`,
    reply: ok(),
  }),
  route('DELETE', '/categories/{categoryId}', {
    tag,
    operation: gql`mutation deleteCategory($categoryId: Int64!, $expectedVersion: [Int64!]) {
      deleteCategory(categoryId: $categoryId, expectedVersion: $expectedVersion) { id }
    }`,
    reply: noContent(),
    errors: ['CONFLICT'],
  }),
];

const examples = {
  Category: { id: 1, name: 'Dogs', description: 'Companions of every size.' },
  Categories: [{ id: 1, name: 'Dogs', description: 'Companions of every size.' }],
  NewCategory: { name: 'Dogs', description: 'Companions of every size.' },
  CategoryChanges: { description: 'Companions of every size.' },
};

export const categoryResource: Resource = {
  stores: (database) => ({ categories: categoryStore(database) }),
  routes,
  examples,
  tags: { Pets: { Categories: 'The groups that animals belong to.' } },
  plurals: { listCategories: 'Categories' },
};
