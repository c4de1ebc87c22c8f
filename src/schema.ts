import type { GraphQLSchema } from 'graphql';
import { builder } from './graphql/builder.ts';
import './graphql/scalars.ts';
import './resources/categories/graphql.ts';
import './resources/pets/graphql.ts';
import './resources/inventory/graphql.ts';
import './resources/orders/graphql.ts';
import './resources/lifecycle/graphql.ts';

/** The one GraphQL schema: what all rooms have added to the builder. */
export const schema: GraphQLSchema = builder.toSchema({ sortSchema: false });
