import { describe, expect, test } from 'vitest';
import { type Draft, judged } from '../support/drafts.ts';
import { BETA, deprecated, EXPERIMENTAL, TODAY } from './annotations.ts';

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

/** The schema without all that is called `gone`. */
function withoutGone(sdl: string): string {
  return sdl.replaceAll(
    /directive @gone on \w+|type Gone \{.*?\}|\(gone: [^@)]*(@\w+\([^)]*\))?\)|\bgone(: \w+)?( @\w+\([^)]*\))?/g,
    '',
  );
}
