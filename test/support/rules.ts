import { readSettings, type Settings } from '../../src/env.ts';
import type { LifecycleRules } from '../../src/lifecycle/guard.ts';

/** As the service has them when nothing is set. */
export const usualRules: LifecycleRules = {
  clock: () => new Date(),
  isRehearsal: false,
  sunset: 'announce',
  brownouts: [],
};

/** The settings when nothing is set. */
export const usualSettings: Settings = readSettings({});
