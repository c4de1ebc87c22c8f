import { describe, expect, test } from 'vitest';
import { type Draft, json, judged, object, reference, text } from '../support/drafts.ts';

const TODAY = '2026-11-21';
const BETA = '@stability(level: BETA)';
const EXPERIMENTAL = '@stability(level: EXPERIMENTAL)';

function deprecated(sunset: string, since = '2026-01-01'): string {
  return `@deprecated(reason: "Old.") @sunset(on: "${sunset}", since: "${since}", successor: "Query.kept")`;
}

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

describe('the annotation that counts', () => {
  test('is the one in the base, whatever the change itself says', async () => {
    const base = { sdl: 'type Query { a: Int }' };
    const verdicts = await judged(base, { sdl: `type Query { a: String ${EXPERIMENTAL} }` }, TODAY);
    expect(verdicts.map((verdict) => verdict.split('.', 2).join('.'))).toEqual(['fails: Query.a', 'fails: Query.a']);
  });

  test.each<[title: string, sdl: string, allowed: readonly string[]]>([
    ['an argument is as its field', `type Query { kept: Int a(gone: Int): Int ${EXPERIMENTAL} }`, ['Query.a(gone:)']],
    [
      'a type, an input and an enum that only experimental fields use are experimental',
      `type Query { kept: Int a(in: In): T ${EXPERIMENTAL} }
       type T { kept: Int u: U } type U { kept: Int gone: Size } enum Size { kept gone } input In { kept: Int gone: Int }`,
      ['U.gone', 'Size.gone', 'In.gone'],
    ],
    [
      'so is one that only an experimental argument uses',
      `type Query { a(in: In ${EXPERIMENTAL}): Int } input In { kept: Int gone: Int }`,
      ['In.gone'],
    ],
    [
      'so are types that contain each other',
      `type Query { kept: Int a: T ${EXPERIMENTAL} } type T { kept: Int gone: Int u: U } type U { t: T }`,
      ['T.gone'],
    ],
    [
      'so is a type that goes together with the only field that uses it',
      `type Query { kept: Int gone: Gone ${EXPERIMENTAL} } type Gone { a: Int }`,
      ['Gone', 'Query.gone'],
    ],
    ['what no operation reaches was promised to nobody', 'type Query { kept: Int } type T { kept: Int gone: Int }', []],
    ['nor was a directive of the schema alone', 'type Query { kept: Int } directive @gone on FIELD_DEFINITION', []],
  ])('%s', async (_, sdl, allowed) => {
    const verdicts = await judged({ sdl }, { sdl: withoutGone(sdl) }, TODAY);
    expect(verdicts.sort()).toEqual(allowed.map((name) => `allowed: ${name}. Experimental: it may change.`).sort());
  });

  test.each<[string, string, string]>([
    [
      'a type that one stable field uses is stable',
      `type Query { a: T ${EXPERIMENTAL} b: T } type T { kept: Int gone: Int }`,
      'fails: T.gone. Stable',
    ],
    [
      'so it is behind an interface',
      `interface N { kept: Int } type T implements N { kept: Int gone: Int }
       type Query { a: T ${EXPERIMENTAL} b: N }`,
      'fails: T.gone. Stable',
    ],
    [
      'of two sunsets the later one',
      `type Query { a: T ${deprecated('2026-01-02')} b: T ${deprecated('2027-12-31')} } type T { kept: Int gone: Int }`,
      'fails: T.gone. Deprecated: served until the end of 2027-12-31',
    ],
    [
      'its own before that of its parent',
      `type Query { kept: Int a(gone: Int ${BETA}): Int ${EXPERIMENTAL} }`,
      'fails: Query.a(gone:). Beta',
    ],
    [
      'a directive of operations is stable',
      'type Query { kept: Int } directive @gone on FIELD',
      'fails: @gone. Stable',
    ],
    [
      'so is its argument, also if the schema may use the directive too',
      'type Query { kept: Int } directive @lower(gone: Int) on FIELD | FIELD_DEFINITION',
      'fails: @lower.gone. Stable',
    ],
  ])('%s', async (_, sdl, verdict) => {
    expect((await judged({ sdl }, { sdl: withoutGone(sdl) }, TODAY)).join()).toContain(verdict);
  });
});

describe('what annotations take back', () => {
  const annotated = (annotations: string): Draft => ({
    sdl: `type Query { a(b: T): Int ${annotations} } input T { c: Int }`,
  });
  const change = (before: string, after: string) => judged(annotated(before), annotated(after), TODAY);
  const tooShort = (days: number, stability: string, from: string) => [
    `fails: Query.a. Too short a notice: ${stability} things get ${days} days' notice. Allowed with a sunset of ${from} or later.`,
  ];

  test.each([
    ['stable to beta', '', BETA, 'Stable'],
    ['stable to experimental', '', EXPERIMENTAL, 'Stable'],
    ['beta to experimental', BETA, EXPERIMENTAL, 'Beta'],
  ])('from %s breaks a promise, and is reported once, for the field', async (_, before, after, level) => {
    const [verdict = '', ...more] = await change(before, after);
    expect(verdict).toContain(`fails: Query.a. ${level}: deprecate it first`);
    expect(more).toEqual([]);
  });

  test.each([
    ['beta to stable', BETA, ''],
    ['experimental to beta', EXPERIMENTAL, BETA],
    ['deprecated to stable', deprecated('2026-12-31'), ''],
    ['one sunset to a later one', deprecated('2026-12-31'), deprecated('2027-01-01')],
    ['one beginning to an earlier one', deprecated('2026-12-31'), deprecated('2026-12-31', '2025-12-31')],
  ])('from %s is no breach', async (_, before, after) => {
    expect(await change(before, after)).toEqual([]);
  });

  test('an earlier sunset MUST still give the full notice from today', async () => {
    const before = deprecated('2027-12-31');
    expect(await change(before, deprecated('2027-05-19'))).toEqual(tooShort(180, 'stable', '2027-05-20'));
    expect(await change(before, deprecated('2027-05-20'))).toEqual([
      "allowed: Query.a. Allowed: stable things get 180 days' notice, and 2027-05-20 is not nearer.",
    ]);
  });

  test('so it MUST of what is beta', async () => {
    const before = `${BETA} ${deprecated('2027-12-31')}`;
    expect(await change(before, `${BETA} ${deprecated('2026-12-20')}`)).toEqual(tooShort(30, 'beta', '2026-12-21'));
    expect((await change(before, `${BETA} ${deprecated('2026-12-21')}`)).join()).toMatch(/^allowed/);
  });

  test('a deprecation MUST NOT begin later, unless the full notice is left', async () => {
    const later = (sunset: string) => change(deprecated(sunset, '2026-01-01'), deprecated(sunset, '2026-02-01'));
    expect(await later('2027-05-19')).toEqual(tooShort(180, 'stable', '2027-05-20'));
    expect((await later('2027-05-20')).join()).toMatch(/^allowed/);
  });

  test('a new deprecation MUST NOT count days before clients could see it', async () => {
    expect(await change('', deprecated('2027-05-19', '2020-01-01'))).toEqual(tooShort(180, 'stable', '2027-05-20'));
    expect((await change('', deprecated('2027-05-20', '2020-01-01'))).join()).toMatch(/^allowed/);
    expect((await change('@deprecated', deprecated('2027-05-19', '2020-01-01'))).join()).toMatch(/^fails/);
  });

  test('an experimental thing may go at any notice, and what has had its sunset may have another', async () => {
    expect((await change(EXPERIMENTAL, `${EXPERIMENTAL} ${deprecated('2026-11-22')}`)).join()).toMatch(/^allowed/);
    expect((await change(deprecated('2026-11-20'), deprecated('2026-11-01'))).join()).toMatch(/^allowed/);
  });

  test('annotating it as beta does not shorten the notice of what was stable', async () => {
    const verdicts = await change('', `${BETA} ${deprecated('2026-12-21')}`);
    expect(verdicts.every((verdict) => verdict.startsWith('fails'))).toBe(true);
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

/** The schema without all that is called `gone`. */
function withoutGone(sdl: string): string {
  return sdl.replaceAll(
    /directive @gone on \w+|type Gone \{.*?\}|\(gone: [^@)]*(@\w+\([^)]*\))?\)|\bgone(: \w+)?( @\w+\([^)]*\))?/g,
    '',
  );
}
