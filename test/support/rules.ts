import type { LifecycleRules } from '../../src/engine/lifecycle/guard.ts';
import { readSettings, type Settings } from '../../src/process/settings.ts';

/** As the service has them when nothing is set. */
export const defaultRules: LifecycleRules = {
  clock: () => new Date(),
  isRehearsal: false,
  sunset: 'announce',
  brownouts: [],
};

/** The settings when nothing is set. */
export const defaultSettings: Settings = readSettings({});
