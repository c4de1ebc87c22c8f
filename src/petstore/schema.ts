import type { GraphQLSchema } from 'graphql';
import { builder } from '../engine/schema/builder.ts';
import '../engine/schema/scalars.ts';
import './categories/graphql.ts';
import './pets/graphql.ts';
import './inventory/graphql.ts';
import './orders/graphql.ts';
import '../engine/usage/graphql.ts';

/** The one GraphQL schema: what all resources have added to the builder. */
export const schema: GraphQLSchema = builder.toSchema({ sortSchema: false });
