import { isEmpty, seed } from './petstore/seed.ts';
import { petStoreService } from './petstore/service.ts';
import { run } from './process/run.ts';

const EXAMPLE_PETS = 200;

run({
  application: petStoreService,
  examples: { areMissing: isEmpty, load: (database) => seed(database, EXAMPLE_PETS, () => {}) },
});
