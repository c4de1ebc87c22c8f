import { rowEvents } from '../../engine/index.ts';
import { PetType } from './graphql.ts';
import { petList } from './store.ts';

export const petEvents = rowEvents({ one: 'pet', list: petList, type: PetType });
