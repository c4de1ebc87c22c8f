import { setTimeout as sleep } from 'node:timers/promises';
import { request as octokitRequest } from '@octokit/request';
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest';
import { operatorMessage } from '../../src/process/operator-message.ts';
import { copyTestDatabase, type DatabaseCopy, hasCommonTests } from '../support/database.ts';
import { serveHere, withServiceHere } from '../support/serve-here.ts';
import { settingsFor, withService } from '../support/service.ts';

let copy: DatabaseCopy;
let environment: Readonly<Record<string, string>>;

beforeAll(async () => {
  copy = await copyTestDatabase();
  environment = { ...settingsFor(copy.location), TZ: 'America/New_York' };
});
afterAll(() => copy?.dispose());

async function usesOf(base: string, coordinate: string): Promise<number> {
  const annotations = (await (await fetch(`${base}/lifecycle`)).json()) as { coordinate: string; uses: number }[];
  return annotations.find((annotation) => annotation.coordinate === coordinate)?.uses ?? 0;
}

describe('the lifecycle of the service as a process', () => {
  test('uses are stored when it stops; a kill loses those of the last seconds at most', async () => {
    const use = (base: string) => fetch(`${base}/pets/1`, { headers: { 'api-client': 'shop' } });
    await withService(environment, async (service) => {
      for (let count = 0; count < 5; count++) await use(service.base);
      await service.stop('SIGTERM');
    });
    await withService(environment, async ({ base }) => {
      expect(await usesOf(base, 'Query.pet')).toBe(5);
      for (let count = 0; count < 7; count++) await use(base);
      // Twice the interval at which uses are stored.
      await sleep(4_000);
    });
    await withService(environment, async ({ base }) => {
      expect(await usesOf(base, 'Query.pet')).toBe(12);
    });
  });

  if (hasCommonTests) {
    test('LIFECYCLE_CLOCK rehearses a day, and SUNSET enforces it, in UTC in every time zone', async () => {
      vi.stubEnv('TZ', environment.TZ);
      onTestFinished(() => void vi.unstubAllEnvs());
      expect(new Date(0).getTimezoneOffset()).toBe(300);
      const answerOn = async (clock: string, more: Readonly<Record<string, string>> = { SUNSET: 'enforce' }) => {
        const { base, stop, output } = await serveHere({ ...environment, ...more, LIFECYCLE_CLOCK: clock });
        try {
          const response = await fetch(`${base}/pets/0`);
          expect(output()).toContain('LIFECYCLE_CLOCK rehearses a day');
          return [response.status, (await response.json()).code, response.headers.get('sunset')];
        } finally {
          await stop({ isReplaced: false });
        }
      };
      const sunset = 'Fri, 31 Dec 2027 23:59:59 GMT';
      expect(await answerOn('2027-12-31T18:50:00-05:00')).toEqual([404, 'NOT_FOUND', sunset]);
      expect(await answerOn('2028-01-01T00:00:00Z')).toEqual([410, 'GONE', sunset]);
      expect(await answerOn('2028-01-01T00:00:00Z', {})).toEqual([404, 'NOT_FOUND', sunset]);
      const BROWNOUTS = '2027-06-01T10:00:00Z/PT15M, Query.pet@2027-06-02T10:00:00Z/2027-06-02T11:00:00Z';
      expect(await answerOn('2027-06-01T10:14:00Z', { BROWNOUTS })).toEqual([503, 'BROWNOUT', sunset]);
      expect(await answerOn('2027-06-02T10:30:00Z', { BROWNOUTS })).toEqual([503, 'BROWNOUT', sunset]);
      expect(await answerOn('2027-06-02T11:00:00Z', { BROWNOUTS })).toEqual([404, 'NOT_FOUND', sunset]);
    });

    test.each([
      [{ SUNSET: 'soon' }, 'SUNSET must be announce or enforce'],
      [
        { LIFECYCLE_CLOCK: '2028-01-01' },
        'LIFECYCLE_CLOCK must be an instant with its offset, such as 2028-01-01T00:00:00Z',
      ],
      [{ LIFECYCLE_CLOCK: '2028-01-01T00:00:00Z', NODE_ENV: 'production' }, 'LIFECYCLE_CLOCK rehearses a day'],
      [
        { BROWNOUTS: 'tomorrow' },
        'BROWNOUTS must be a list of [coordinate@]start/end, such as 2027-12-01T14:00:00Z/PT15M',
      ],
      [{ BROWNOUTS: '2027-06-01T10:00:00Z/PT' }, '2027-06-01T10:00:00Z/PT is not one'],
      [{ BROWNOUTS: '2027-06-01T10:00:00Z/2027-06-01T09:00:00Z' }, 'BROWNOUTS must have each end after its start'],
      [{ BROWNOUTS: '2027-06-01T10:00:00Z/PT9999999999H' }, 'BROWNOUTS must have each end after its start'],
      [
        { BROWNOUTS: 'Query.pets@2027-06-01T10:00:00Z/PT5M' },
        'BROWNOUTS names what is not deprecated: Query.pets; the deprecated elements are: Query.pet.',
      ],
    ])('%j stops the start with one clear line', async (settings: Readonly<Record<string, string>>, message) => {
      const failure = await serveHere({ ...environment, ...settings }).then(() => undefined, operatorMessage);
      expect(failure).toContain(message);
      expect(failure).not.toMatch(/\n\s+at /);
    });

    test("Octokit prints its warning when it calls GET /pets/{petId}, with the page's address", async () => {
      await withServiceHere(environment, async ({ base }) => {
        const warnings: string[] = [];
        const log = {
          debug: () => {},
          info: () => {},
          error: () => {},
          warn: (text: string) => void warnings.push(text),
        };
        const made = await fetch(`${base}/categories`, {
          method: 'POST',
          headers: { 'content-type': 'application/json' },
          body: '{"name":"Dogs"}',
        });
        const { id: categoryId } = (await made.json()) as { id: number };
        // Octokit's default is GitHub's own media type.
        const headers = { accept: 'application/json' };
        const call = octokitRequest.defaults({ baseUrl: base, headers, request: { log } });
        const { data: pet } = await call('POST /pets', { data: { name: 'Rex', categoryId } });
        expect(warnings).toEqual([]);
        const { data } = await call('GET /pets/{petId}', { petId: pet.id });
        expect(data).toEqual(pet);
        expect(warnings).toEqual([
          `[@octokit/request] "GET ${base}/pets/${pet.id}" is deprecated. It is scheduled to be removed on Fri, 31 Dec 2027 23:59:59 GMT. See ${base}/lifecycle`,
        ]);
      });
    });
  }
});
