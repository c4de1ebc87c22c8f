import { describe, expect, test } from 'vitest';
import { json, judged, object, reference, text } from '../support/drafts.ts';
import { BETA, deprecated, EXPERIMENTAL, TODAY } from './annotations.ts';

const SCOPES = 'directive @requiresScope(scope: String!) on FIELD_DEFINITION';

/** A change that breaks clients: the schema before, where ANNOTATION is replaced, and after. */
const BREAKS: readonly (readonly [title: string, coordinate: string, before: string, after: string])[] = [
  ['a field goes', 'Query.gone', 'type Query { kept: Int gone: Int ANNOTATION }', 'type Query { kept: Int }'],
  ['an argument goes', 'Query.a(gone:)', 'type Query { a(gone: Int ANNOTATION): Int }', 'type Query { a: Int }'],
  [
    'an input field goes',
    'In.gone',
    'type Query { a(in: In): Int } input In { kept: Int gone: Int ANNOTATION }',
    'type Query { a(in: In): Int } input In { kept: Int }',
  ],
  [
    'an enum value goes',
    'Size.gone',
    'type Query { a: Size } enum Size { kept gone ANNOTATION }',
    'type Query { a: Size } enum Size { kept }',
  ],
  ['a type changes', 'Query.a', 'type Query { a: Int ANNOTATION }', 'type Query { a: String ANNOTATION }'],
  ['an answer may become null', 'Query.a', 'type Query { a: Int! ANNOTATION }', 'type Query { a: Int ANNOTATION }'],
  [
    'a new argument is required',
    'Query.a(new:)',
    'type Query { a: Int ANNOTATION }',
    'type Query { a(new: Int!): Int ANNOTATION }',
  ],
  [
    'a value is bounded more narrowly',
    'Query.a(b:)',
    'type Query { a("How many. Accepts 1 to 100." b: Int ANNOTATION): Int }',
    'type Query { a("How many. Accepts 1 to 50." b: Int ANNOTATION): Int }',
  ],
  [
    'the minimum of a value is greater',
    'Query.a(b:)',
    'type Query { a("How many. Accepts 1 to 100." b: Int ANNOTATION): Int }',
    'type Query { a("How many. Accepts 2 to 100." b: Int ANNOTATION): Int }',
  ],
  [
    'a value gets bounds',
    'In.b',
    'type Query { a(in: In): Int } input In { "How." b: String ANNOTATION }',
    'type Query { a(in: In): Int } input In { "How. Accepts at most 9 characters." b: String ANNOTATION }',
  ],
  [
    'another scope is required',
    'Query.a',
    `type Query { a: Int @requiresScope(scope: "read") ANNOTATION } ${SCOPES}`,
    `type Query { a: Int @requiresScope(scope: "audit") ANNOTATION } ${SCOPES}`,
  ],
  [
    'a scope is required',
    'Query.a',
    `type Query { a: Int ANNOTATION } ${SCOPES}`,
    `type Query { a: Int @requiresScope(scope: "audit") ANNOTATION } ${SCOPES}`,
  ],
  [
    'a required argument loses its default',
    'Query.a(new:)',
    'type Query { a(new: Int! = 1): Int ANNOTATION }',
    'type Query { a(new: Int!): Int ANNOTATION }',
  ],
];

describe.each(BREAKS)('when %s', (_, coordinate, before, after) => {
  const on = (day: string, annotations: string) =>
    judged(
      { sdl: before.replaceAll('ANNOTATION', annotations) },
      { sdl: after.replaceAll('ANNOTATION', annotations) },
      day,
    );

  // What doesn't exist yet cannot be deprecated.
  const [first, what] = coordinate.includes('new')
    ? ['make it optional, or deprecate Query.a', 'Query.a']
    : ['deprecate it', 'it'];

  test('what is stable MUST be deprecated first, 180 days ahead', async () => {
    expect(await on(TODAY, '')).toEqual([
      `fails: ${coordinate}. Stable: ${first} first, with a sunset of 2027-05-20 or later (180 days' notice). Allowed from 2027-05-21 at the earliest.`,
    ]);
  });

  test('what is beta MUST be deprecated first, 30 days ahead', async () => {
    expect(await on(TODAY, BETA)).toEqual([
      `fails: ${coordinate}. Beta: ${first} first, with a sunset of 2026-12-21 or later (30 days' notice). Allowed from 2026-12-22 at the earliest.`,
    ]);
  });

  test('what is experimental may change', async () => {
    expect(await on(TODAY, EXPERIMENTAL)).toEqual([`allowed: ${coordinate}. Experimental: it may change.`]);
  });

  test.each(['', BETA, EXPERIMENTAL])(
    'what is deprecated (%s) MUST be served to the end of its sunset',
    async (more) => {
      const annotations = `${more} ${deprecated('2026-11-21')}`;
      const fails = `fails: ${coordinate}. Deprecated: served until the end of 2026-11-21, in UTC. Allowed from 2026-11-22.`;
      expect(await on('2026-11-20', annotations)).toEqual([fails]);
      expect(await on('2026-11-21', annotations)).toEqual([fails]);
      expect(await on('2026-11-22', annotations)).toEqual([
        `allowed: ${coordinate}. Deprecated: its sunset, 2026-11-21, has passed.`,
      ]);
    },
  );

  test('a deprecation without a sunset has announced nothing yet', async () => {
    expect(await on(TODAY, '@deprecated(reason: "Old.")')).toEqual([
      `fails: ${coordinate}. Deprecated without a sunset: give ${what} one, of 2027-05-20 or later (180 days' notice). Allowed from 2027-05-21 at the earliest.`,
    ]);
  });
});

test('wider bounds and a scope that is no longer required break nothing', async () => {
  const draft = (b: string, scope: string) => ({ sdl: `type Query { a("${b}" b: String): Int ${scope} } ${SCOPES}` });
  const base = draft('How. Accepts 1 to 9 characters, not only white space.', '@requiresScope(scope: "read")');
  expect(await judged(base, draft('How. Accepts at most 9 characters.', ''), TODAY)).toEqual([]);
  expect(await judged(base, draft('How.', ''), TODAY)).toEqual([]);
});

test('what only surprises a careless client is a note', async () => {
  const base = { sdl: 'type Query { a: Size } enum Size { small }' };
  const head = { sdl: 'type Query { a: Size } enum Size { small large }' };
  expect(await judged(base, head, TODAY)).toEqual([
    'allowed: Size.large. Allowed: clients should be ready for it, but some may not be.',
  ]);
});

test('another default may change what clients get that leave the argument out', async () => {
  const draft = (value: number) => ({ sdl: `type Query { a(b: Int = ${value}): Int }` });
  expect(await judged(draft(1), draft(2), TODAY)).toEqual([
    'allowed: Query.a(b:). Allowed: clients should be ready for it, but some may not be.',
  ]);
});

test('a field of an interface goes, which clients select although no field has its type', async () => {
  const draft = (fields: string) => ({
    sdl: `type Query { a: Item } interface Node { ${fields} } type Item implements Node { id: ID gone: ID }`,
  });
  const [verdict = ''] = await judged(draft('id: ID gone: ID'), draft('id: ID'), TODAY);
  expect(verdict).toMatch(/^fails: Node\.gone\. Stable/);
});

test('an input of which a client may give only one field from now on is reported itself', async () => {
  const draft = (directive: string) => ({
    sdl: `type Query { a(in: In): Int } input In ${directive} { b: Int c: Int } directive @oneOf on INPUT_OBJECT`,
  });
  const [verdict = ''] = await judged(draft(''), draft('@oneOf'), TODAY);
  expect(verdict).toMatch(/^fails: In\. Stable: deprecate it first/);
});

test('a new argument with a default may change what clients get that do not know of it', async () => {
  const head = { sdl: 'type Query { a(b: Int = 1): Int }' };
  expect(await judged({ sdl: 'type Query { a: Int }' }, head, TODAY)).toEqual([
    'allowed: Query.a(b:). Allowed: clients should be ready for it, but some may not be.',
  ]);
});

test('what a new required field or argument breaks can be deprecated first, and it cannot', async () => {
  const base = (annotation: string) => ({ sdl: `type Query { a(in: In): Int ${annotation} } input In { b: Int }` });
  const field = { sdl: 'type Query { a(in: In): Int } input In { b: Int new: Int! }' };
  const [ofType = ''] = await judged(base(''), field, TODAY);
  expect(ofType).toContain('In.new. Stable: make it optional, or deprecate what takes In first, with a sunset');
  const argument = { sdl: 'type Query { a(in: In, new: Int!): Int @deprecated } input In { b: Int }' };
  const [ofField = ''] = await judged(base('@deprecated'), argument, TODAY);
  expect(ofField).toContain('Query.a(new:). Deprecated without a sunset: give Query.a one,');
});

test.each([EXPERIMENTAL, deprecated('2026-11-20')])(
  'an optional part with %s that becomes required breaks clients that never sent it',
  async (annotation) => {
    const [first, what] = ['fails: ', 'Stable: make it optional, or deprecate'];
    const sdl = (b: string, c: string) =>
      `type Query { a(b: ${b} ${annotation}, in: In): Int } input In { c: ${c} ${annotation} }`;
    for (const [before, after] of [
      [sdl('Int', 'Int'), sdl('Int!', 'Int!')],
      [sdl('Int! = 1', 'Int! = 1'), sdl('Int!', 'Int!')],
    ] as const)
      expect(await judged({ sdl: before }, { sdl: after }, TODAY)).toEqual([
        expect.stringContaining(`${first}Query.a(b:). ${what} Query.a first`),
        expect.stringContaining(`${first}In.c. ${what} what takes In first`),
      ]);
    const marks =
      annotation === EXPERIMENTAL
        ? { 'x-stability': 'experimental' }
        : { deprecated: true, 'x-deprecated-sunset': '2026-11-20' };
    const rest = (required: boolean) => ({
      paths: {
        '/things': {
          post: {
            parameters: [{ name: 'b', in: 'query', required, schema: text, ...marks }],
            requestBody: json(reference),
            responses: {},
          },
        },
      },
      schemas: { Thing: object({ c: { ...text, ...marks } }, required ? ['c'] : []) },
    });
    expect(await judged(rest(false), rest(true), TODAY)).toEqual([
      expect.stringContaining(`${first}POST /things (query b). ${what} POST /things first`),
      expect.stringContaining(`${first}Thing.c. ${what} what takes Thing first`),
    ]);
  },
);

test('what a client can only send surprises none: an optional argument, or another sort', async () => {
  const base = { sdl: 'type Query { a(sort: Sort): Int } enum Sort { id }' };
  const head = { sdl: 'type Query { a(sort: Sort, b: Int): Int } enum Sort { id name }' };
  expect(await judged(base, head, TODAY)).toEqual([]);
});
