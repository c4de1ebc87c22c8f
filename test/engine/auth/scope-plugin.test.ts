import SchemaBuilder from '@pothos/core';
import { describe, expect, test } from 'vitest';
import '../../../src/engine/schema/plugin.ts';
import { scopesIn } from '../../../src/engine/auth/scope.ts';

function builderOf() {
  const builder = new SchemaBuilder<object>({ plugins: ['engine'] });
  builder.queryType({ fields: (t) => ({ read: t.int({ resolve: () => 1 }) }) });
  return builder;
}

describe('building a schema fails, and so does starting the service,', () => {
  test('with a mutation that declares no scope', () => {
    const builder = builderOf();
    builder.mutationType({ fields: (t) => ({ change: t.int({ resolve: () => 1 }) }) });
    expect(() => builder.toSchema()).toThrow('Mutation.change needs a scope.');
  });

  test('with a scope on a field that is not a root field', () => {
    const builder = builderOf();
    const row = builder.objectRef<object>('Row').implement({
      fields: (t) => ({ secret: t.int({ scope: 'rows:read', resolve: () => 1 }) }),
    });
    builder.queryField('row', (t) => t.field({ type: row, resolve: () => ({}) }));
    expect(() => builder.toSchema()).toThrow('Row.secret is not a root field, so it cannot have a scope.');
  });
});

test('a query that declares no scope needs read', () => {
  expect([...scopesIn(builderOf().toSchema())]).toEqual([['read', ['read']]]);
});
