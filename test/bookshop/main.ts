import { run } from '../../src/process/run.ts';
import { bookshop } from './shop.ts';

run({ application: bookshop });
