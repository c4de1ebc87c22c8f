import { describe, expect, test } from 'vitest';
import { readSettings } from '../../src/process/settings.ts';

describe('BROWNOUTS', () => {
  test('are each an end or a duration after a start, of one element or of all', () => {
    const { BROWNOUTS } = readSettings({
      BROWNOUTS: '2027-12-01T14:00:00Z/PT15M, Query.pet@2027-12-01T14:00:00+02:00/PT1H1M1S\n2027-12-01T14:00:00Z/PT90S',
    });
    expect(BROWNOUTS).toEqual([
      { from: new Date('2027-12-01T14:00:00Z'), until: new Date('2027-12-01T14:15:00Z') },
      { coordinate: 'Query.pet', from: new Date('2027-12-01T12:00:00Z'), until: new Date('2027-12-01T13:01:01Z') },
      { from: new Date('2027-12-01T14:00:00Z'), until: new Date('2027-12-01T14:01:30Z') },
    ]);
    const [whole] = readSettings({ BROWNOUTS: '2027-12-01T14:00:00Z/2027-12-02T00:00:00+01:00' }).BROWNOUTS;
    expect(whole?.until).toEqual(new Date('2027-12-01T23:00:00Z'));
  });

  test.each(['2027-12-01T14:00:00Z', '2027-12-01/PT1H', '2027-12-01T14:00:00Z/PT', '2027-12-01T14:00:00Z/15M'])(
    'that are %s are rejected with what is accepted',
    (BROWNOUTS) => {
      expect(() => readSettings({ BROWNOUTS })).toThrow(
        `BROWNOUTS must be a list of [coordinate@]start/end, such as 2027-12-01T14:00:00Z/PT15M, separated by commas; ${BROWNOUTS} is not one`,
      );
    },
  );

  test.each(['2027-12-01T13:00:00Z', '2027-12-01T14:00:00Z', 'PT0S', `PT${'9'.repeat(20)}H`])(
    'that begin at 14:00 and end at %s never were',
    (end) => {
      expect(() => readSettings({ BROWNOUTS: `2027-12-01T14:00:00Z/${end}` })).toThrow(
        /must have each end after its start/,
      );
    },
  );
});

test('LIFECYCLE_CLOCK is an instant with its offset, and is rejected in production', () => {
  const clock = { LIFECYCLE_CLOCK: '2028-01-01T00:30:00+01:00' };
  expect(readSettings(clock).LIFECYCLE_CLOCK).toEqual(new Date('2027-12-31T23:30:00Z'));
  expect(() => readSettings({ LIFECYCLE_CLOCK: '2028-01-01T00:30:00' })).toThrow(/must be an instant with its offset/);
  const production = { NODE_ENV: 'production', AUTH: 'all', DATABASE: 'embedded' };
  expect(() => readSettings({ ...production, ...clock })).toThrow(/^LIFECYCLE_CLOCK rehearses a day/);
});

test('EVENTS_RETENTION is in days, hours or minutes', () => {
  const retention = (EVENTS_RETENTION: string) => readSettings({ EVENTS_RETENTION }).EVENTS_RETENTION;
  expect(['2d', '12h', '30m'].map(retention)).toEqual([172_800, 43_200, 1_800]);
  for (const wrong of ['0d', '7', '7w', '1.5h']) expect(() => retention(wrong)).toThrow(/such as 7d, 12h or 30m/);
});

test('RATE_LIMIT is off, or units in seconds', () => {
  const limit = (RATE_LIMIT: string) => readSettings({ RATE_LIMIT }).RATE_LIMIT;
  expect(['off', '100/60s'].map(limit)).toEqual(['off', { units: 100, seconds: 60 }]);
  for (const wrong of ['0/60s', '100/0s', '100/60', '100']) expect(() => limit(wrong)).toThrow(/such as 6000\/60s/);
});

test('CORS_ORIGINS can be empty: then no page but those of the service can read responses', () => {
  expect(readSettings({ CORS_ORIGINS: '' }).CORS_ORIGINS).toEqual([]);
  expect(readSettings({ CORS_ORIGINS: 'https://a.example, https://b.example' }).CORS_ORIGINS).toHaveLength(2);
});

test.each([
  ['PORT', 0, 65_535],
  ['DATABASE_POOL', 6, 500],
  ['MAX_REQUESTS', 1, 100_000],
  ['REQUEST_TIMEOUT', 1, 300],
  ['PROXIES', 0, 10],
  ['MAX_STREAMS', 1, 100_000],
])('%s is a whole number from %i to %i', (name, min, max) => {
  for (const value of [min, max]) expect(() => readSettings({ [name]: `${value}` })).not.toThrow();
  for (const value of [min - 1, max + 1, min + 0.5, `${max} `, `0x${min}`, '1e2'])
    expect(() => readSettings({ [name]: `${value}` })).toThrow(`${name} must be a whole number from ${min} to ${max}`);
});
