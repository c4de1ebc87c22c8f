import { describe } from 'vitest';
import { testFromStart, testKeys } from './plans/by-key.ts';
import { testFarEnd } from './plans/far-end.ts';
import { startFilledApp } from './plans/filled.ts';
import { testPages, testServerSettings } from './plans/pages.ts';

startFilledApp();

describe('with rows of all kinds everywhere,', () => {
  testPages();
  testKeys();
});
describe('with rows at one end,', testFarEnd);
// The last: from its start on, the app works beside its requests.
describe('from its start on,', testFromStart);
testServerSettings();
