import { graphqlSync } from 'graphql';
import { expect, test } from 'vitest';
import { createSchema } from '../../../src/engine/create-schema.ts';
import type { Types } from '../../../src/engine/schema/builder.ts';

/** What a field of the type returns for a value that its resolver returns. */
function returned(type: 'Int64' | 'Date', value: unknown) {
  const { builder, buildSchema } = createSchema();
  builder.queryField('field', (t) =>
    t.field({ type, description: 'A field.', resolve: () => value as Types['Scalars'][typeof type]['Output'] }),
  );
  return graphqlSync({ schema: buildSchema(), source: '{ field }' });
}

test.each([
  ['Int64', 7],
  ['Int64', 9_007_199_254_740_993n],
  ['Date', '2026-11-26'],
] as const)('an %s of %s is returned as it is', (type, value) => {
  expect(returned(type, value).data?.field).toBe(value);
});

// All but the last have the type that the scalar has in code.
test.each([
  ['Int64', Number.NaN],
  ['Int64', 0.5],
  ['Date', '2026-11-26T09:30:00.000Z'],
  ['Date', '2026-02-30'],
  ['Date', new Date(0)],
] as const)('a resolver that returns %s as %s fails, and no such value reaches a client', (type, value) => {
  const { data, errors } = returned(type, value);
  expect([data, errors?.map(({ message }) => message)]).toEqual([null, [expect.stringContaining(`${value} is not a`)]]);
});

test('a day of the year 0, which PostgreSQL cannot store, is not accepted', () => {
  const { builder, buildSchema } = createSchema();
  const args = builder.args((t) => ({ day: t.field({ type: 'Date', required: true, description: 'A day.' }) }));
  const resolve = (_: unknown, { day }: { readonly day: string }) => day;
  builder.queryField('field', (t) => t.string({ args, description: 'A field.', resolve }));
  const schema = buildSchema();
  const ask = (day: string) => graphqlSync({ schema, source: `{ field(day: "${day}") }` });
  expect(ask('0001-01-01').data).toEqual({ field: '0001-01-01' });
  expect(ask('0000-12-31').errors?.[0]?.message).toContain('must be a full-date of RFC 3339 from the year 1 on');
});
