import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Lifecycle } from '../../src/contract/lifecycle.ts';
import { openApiChanges } from '../../src/contract/openapi-changes.ts';
import { readOpenApi } from '../../src/contract/openapi-elements.ts';
import { judge } from '../../src/contract/policy.ts';
import { addDays } from '../../src/engine/lifecycle/annotation.ts';
import { type Draft, judged, textsOf } from '../support/drafts.ts';

const day = fc.integer({ min: -800, max: 800 }).map((days) => addDays('2026-11-21', days));
const stability = fc.constantFrom('stable' as const, 'beta' as const, 'experimental' as const);
const lifecycle: fc.Arbitrary<Lifecycle> = fc.record({
  stability,
  deprecation: fc.option(fc.record({ since: day, sunset: fc.option(day, { nil: undefined }) }), { nil: undefined }),
});

/** The annotations of an element in SDL and in OpenAPI. */
const annotations = lifecycle.map(({ stability, deprecation }) => ({
  sdl: [
    stability === 'stable' ? '' : `@stability(level: ${stability.toUpperCase()})`,
    deprecation === undefined ? '' : '@deprecated(reason: "Old.")',
    deprecation?.sunset === undefined
      ? ''
      : `@sunset(on: "${deprecation.sunset}", since: "${deprecation.since}", successor: "Query.f0")`,
  ].join(' '),
  openApi: {
    ...(stability !== 'stable' && { 'x-stability': stability }),
    ...(deprecation && { deprecated: true, 'x-deprecated-since': deprecation.since }),
    ...(deprecation?.sunset && { 'x-deprecated-sunset': deprecation.sunset }),
  },
}));
const field = fc.record({
  annotations,
  argument: fc.option(annotations),
  type: fc.constantFrom('Int', 'String!', '[T!]', 'E'),
});

/** Contracts whose fields and operations differ in their annotations, types and arguments. */
const draft: fc.Arbitrary<Draft> = fc.array(field, { minLength: 1, maxLength: 6 }).map((fields) => ({
  sdl: `type Query { ${fields
    .map(
      ({ annotations, argument, type }, at) =>
        `f${at}${argument ? `(a: In ${argument.sdl})` : ''}: ${type} ${annotations.sdl}`,
    )
    .join('\n')} } type T { t: T e: E } enum E { one two } input In { in: In e: E }`,
  paths: Object.fromEntries(
    fields.map(({ annotations, argument, type }, at) => [
      `/f${at}`,
      {
        get: {
          ...annotations.openApi,
          parameters: argument ? [{ name: 'a', in: 'query', ...argument.openApi }] : [],
          responses: { 200: { content: { 'application/json': { schema: { type: type.toLowerCase() } } } } },
        },
      },
    ]),
  ),
}));

const bounded = fc
  .tuple(fc.integer({ min: 0, max: 9 }), fc.integer({ min: 0, max: 9 }), fc.boolean(), fc.boolean(), fc.boolean())
  .map(([one, other, low, high, nullable]) => ({
    type: 'integer',
    ...(low && { minimum: Math.min(one, other) }),
    ...(high && { maximum: Math.max(one, other) }),
    ...(nullable && { nullable }),
  }));

describe('whatever the contract', () => {
  test('compared with itself it has not changed', async () => {
    await fc.assert(
      fc.asyncProperty(draft, day, async (one, today) => {
        expect(await judged(one, one, today)).toEqual([]);
      }),
    );
  });

  test('a break that is allowed on a day is allowed on every later day, and the day that is named is the first', () => {
    const change = { kind: 'break', coordinate: 'Query.a', what: 'It is gone.' } as const;
    const isAllowed = (of: Lifecycle, on: string) => judge(change, of, on).isAllowed;
    fc.assert(
      fc.property(lifecycle, day, fc.nat(2000), (of, today, days) => {
        if (isAllowed(of, today)) expect(isAllowed(of, addDays(today, days))).toBe(true);
        const [, first] = /Allowed from (\S+)\.$/.exec(judge(change, of, today).why) ?? [];
        if (first === undefined) return;
        expect([isAllowed(of, addDays(first, -1)), isAllowed(of, first)]).toEqual([false, true]);
      }),
    );
  });

  test('a schema breaks just when the one side may send a value that the other is not prepared for', () => {
    const values = [null, -1, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10];
    fc.assert(
      fc.property(bounded, bounded, (was, is) => {
        const fits = (schema: typeof was, value: number | null) =>
          value === null
            ? schema.nullable === true
            : value >= (schema.minimum ?? -1) && value <= (schema.maximum ?? 10);
        const isRejected = values.some((value) => fits(was, value) && !fits(is, value));
        const isUnexpected = values.some((value) => fits(is, value) && !fits(was, value));
        expect([breaks('request', was, is), breaks('response', was, is)]).toEqual([isRejected, isUnexpected]);
      }),
    );
  });
});

function breaks(direction: 'request' | 'response', was: object, is: object): boolean {
  const document = (schema: object) => {
    const body = { content: { 'application/json': { schema } } };
    const operation = direction === 'request' ? { requestBody: body, responses: {} } : { responses: { 200: body } };
    return readOpenApi(textsOf({ paths: { '/a': { post: operation } } })[1]);
  };
  return openApiChanges(document(was), document(is)).length > 0;
}
