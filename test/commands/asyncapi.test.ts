import { readFileSync } from 'node:fs';
import { Parser } from '@asyncapi/parser';
import { expect, test } from 'vitest';
import { describeEndpoints, describeEvents, endpointsOf } from '../../src/engine/application.ts';
import { eventTypesOf } from '../../src/engine/events/source.ts';
import { printDocument } from '../../src/engine/pages/site.ts';
import { petStoreService } from '../../src/petstore/service.ts';

const source = readFileSync(new URL('../../schema/asyncapi.json', import.meta.url), 'utf8');

test('schema/asyncapi.json is what the code prints; npm run schema prints it anew', () => {
  const openApi = describeEndpoints(petStoreService, endpointsOf(petStoreService), '');
  expect(source).toBe(printDocument(describeEvents(petStoreService, openApi, '') ?? {}));
});

test('is a valid AsyncAPI 3.0 document with a message for each type of event', async () => {
  const { document, diagnostics } = await new Parser().parse(source);
  // It notes that there is a newer version.
  expect(diagnostics.filter(({ severity, code }) => severity < 2 || code !== 'asyncapi-latest-version')).toEqual([]);
  const messages = document?.messages().all() ?? [];
  expect(messages.map((message) => message.name()).toSorted()).toEqual(
    eventTypesOf(petStoreService.events)
      .map(({ name }) => name)
      .toSorted(),
  );
  for (const message of messages) expect(message.payload()?.json()).toMatchObject({ allOf: [{ type: 'object' }, {}] });
});
