import type { LifecycleRules } from '../../src/engine/lifecycle/enforcement.ts';
import { readSettings, type Settings } from '../../src/process/settings.ts';

/** The rules of a service without settings. */
export const defaultRules: LifecycleRules = {
  clock: () => new Date(),
  isRehearsal: false,
  sunset: 'announce',
  brownouts: [],
};

/** The settings of a service without environment variables. */
export const defaultSettings: Settings = readSettings({});
