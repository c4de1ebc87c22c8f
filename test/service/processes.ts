import { afterAll, beforeAll } from 'vitest';
import { copyTestDatabase, type DatabaseCopy } from '../support/database.ts';
import { withService as runService, type Service, settingsFor } from '../support/service.ts';

let copy: DatabaseCopy;
export let environment: Readonly<Record<string, string>>;

/** Makes an empty database before the tests of a file, for the services that they start. */
export function makeDatabase(): void {
  beforeAll(async () => {
    copy = await copyTestDatabase();
    environment = settingsFor(copy.location);
  });
  afterAll(() => copy?.dispose());
}

export function withService(
  more: Readonly<Record<string, string>>,
  work: (service: Service) => Promise<void>,
): Promise<void> {
  return runService({ ...environment, ...more }, work);
}

export function post(base: string, path: string, body: unknown): Promise<Response> {
  return fetch(base + path, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
}
