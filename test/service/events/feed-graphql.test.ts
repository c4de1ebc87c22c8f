import { describe, expect, test } from 'vitest';
import { app, newPet, serveEvents } from './rows.ts';

serveEvents();

describe('the field events of GraphQL', () => {
  test('has the same events, with the fields and relations of their rows', async () => {
    const pet = await newPet(4);
    const query = `query ($subject: String, $types: [EventType!]) {
      events(subject: $subject, types: $types, wait: 2) {
        nodes { id type subject data { __typename ... on InventoryItem { petId quantity version pet { name } } } }
        pageInfo { hasNextPage endCursor }
      }
    }`;
    const { data, errors } = await app.graphql(query, { subject: `inventory/${pet}`, types: ['inventory_counted'] });
    expect(errors).toBeUndefined();
    const { body } = await app.rest('GET', `/events?subject=inventory/${pet}`);
    expect(data.events.nodes).toEqual([
      {
        id: body[0].id,
        type: 'inventory_counted',
        subject: `inventory/${pet}`,
        data: {
          __typename: 'InventoryItem',
          petId: pet,
          quantity: 4,
          version: expect.any(Number),
          pet: { name: 'Rex' },
        },
      },
    ]);
    expect(data.events.pageInfo).toEqual({ hasNextPage: false, endCursor: expect.stringMatching(/^1\.\d+$/) });
  });

  test('counts as a use of something beta', async () => {
    const { extensions } = JSON.parse(
      await (
        await app.fetch(
          new Request('http://pets.example/graphql', {
            method: 'POST',
            headers: { 'content-type': 'application/json' },
            body: '{"query":"{ events(first: 1) { nodes { id } } }"}',
          }),
        )
      ).text(),
    );
    expect(extensions.lifecycle).toEqual([{ coordinate: 'Query.events', level: 'beta' }]);
  });

  test('rejects what REST rejects', async () => {
    const { errors } = await app.graphql('{ events(after: "x", first: 501, wait: 21) { nodes { id } } }');
    expect(errors?.[0]?.extensions.code).toBe('VALIDATION_FAILED');
    const misspelt = await app.graphql('{ events(subject: "pet/1", wait: 20) { nodes { id } } }');
    expect(misspelt.errors?.[0]?.extensions.code).toBe('VALIDATION_FAILED');
    expect(misspelt.errors?.[0]?.message).toMatch(/must be a list \(orders, .*pets/);
    const gone = await app.graphql('{ events(after: "7.1") { nodes { id } } }');
    expect(gone.errors?.[0]?.extensions.code).toBe('GONE');
  });
});
