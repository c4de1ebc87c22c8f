import type { LifecycleRules } from '../../src/lifecycle/guard.ts';

/** As the service has them when nothing is set. */
export const usualRules: LifecycleRules = { clock: () => new Date(), sunset: 'announce', brownouts: [] };
