import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { describeEndpoints, describeEvents, endpointsOf, eventSourcesOf } from '../../src/engine/application.ts';
import { eventTypesOf } from '../../src/engine/events/source.ts';
import { printDocument } from '../../src/engine/pages/site.ts';
import { petStoreService } from '../../src/petstore/service.ts';

const source = readFileSync(new URL('../../schema/asyncapi.json', import.meta.url), 'utf8');

test('schema/asyncapi.json is what the code prints; npm run schema writes it', () => {
  const openApi = describeEndpoints(petStoreService, endpointsOf(petStoreService), '');
  expect(source).toBe(printDocument(describeEvents(petStoreService, openApi, '') ?? {}));
});

test('has a message for each type of event, with its row', () => {
  const { components } = JSON.parse(source);
  const types = eventTypesOf(eventSourcesOf(petStoreService)).map(({ name }) => name);
  expect(Object.keys(components.messages)).toEqual(types);
  expect(components.messages['order.placed'].payload.allOf[1].properties).toEqual({
    type: { const: 'order.placed' },
    data: { $ref: '#/components/schemas/Order' },
  });
  const named = [...source.matchAll(/"#\/components\/schemas\/(\w+)"/g)].map(([, name]) => name);
  expect(Object.keys(components.schemas)).toEqual(expect.arrayContaining(named));
});

test('lets generators give each event a type with its own name, type and row', () => {
  const { messages, schemas } = JSON.parse(source).components;
  expect(messages['order.placed'].payload.title).toBe('order.placed');
  // Generators that merge the two schemas of a payload would otherwise take every type and every row.
  for (const name of ['type', 'data']) expect(schemas.Event.properties).not.toHaveProperty(name);
  // They give a type of its own, with a number for a name, to each reference that is merged with a description.
  expect(schemas.Pet.properties.status).toEqual({ $ref: '#/components/schemas/PetStatus' });
});
