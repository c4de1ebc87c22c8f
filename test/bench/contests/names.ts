/** The names of the contests, in reports and options. */
export const GET = 'REST get pet';
export const LIST = 'REST list 20 orders';
export const CREATE = 'REST create pet';
export const UPDATE = 'REST update pet';
export const ORDER = 'REST place order';
export const GRAPHQL_GET = 'GraphQL pet by id';
export const GRAPHQL_LIST = 'GraphQL 20 pets with category and stock';
export const GRAPHQL_CREATE = 'GraphQL create pet';
