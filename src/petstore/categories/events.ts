import { rowEvents } from '../../engine/index.ts';
import { CategoryType } from './graphql.ts';
import { categoryList } from './store.ts';

export const categoryEvents = rowEvents({ one: 'category', list: categoryList, type: CategoryType });
