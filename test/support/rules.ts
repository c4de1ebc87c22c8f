import type { LifecycleRules } from '../../src/lifecycle/guard.ts';

/** As the service has them when nothing is set. */
export const usualRules: LifecycleRules = {
  clock: () => new Date(),
  isRehearsal: false,
  sunset: 'announce',
  brownouts: [],
};
