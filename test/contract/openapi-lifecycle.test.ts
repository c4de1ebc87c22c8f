import { describe, expect, test } from 'vitest';
import { type Draft, json, judged, object, ok, reference, text } from '../support/drafts.ts';

const TODAY = '2026-11-21';
const BETA = { 'x-stability': 'beta' };
const EXPERIMENTAL = { 'x-stability': 'experimental' };
const until = (sunset: string) => ({
  deprecated: true,
  'x-deprecated-since': '2026-01-01',
  'x-deprecated-sunset': sunset,
});
const of = (operation: object, annotations = {}): Draft => ({
  paths: { '/things': { get: { responses: ok, ...operation, ...annotations }, post: { responses: ok } } },
});
const withParameter = (annotations: object) =>
  of({ parameters: [{ name: 'a', in: 'query', schema: text, ...annotations }] });
const withProperty = (annotations: object) =>
  of({ responses: { 200: json({ type: 'object', properties: { a: { ...text, ...annotations } } }) } });
const withAnswer = (required: readonly string[]) =>
  of({ responses: { 200: json(object({ a: { ...text, ...EXPERIMENTAL } }, required)) } });
const none = { paths: { '/things': { post: { responses: ok } } } };

describe.each<[title: string, coordinate: string, base: (annotations: object) => Draft, head: Draft]>([
  ['an operation goes', 'GET /things', (annotations) => of({}, annotations), none],
  ['a parameter goes', 'GET /things (query a)', withParameter, of({})],
  [
    'a parameter of an annotated operation goes',
    'GET /things (query a)',
    (annotations) => of({ parameters: [{ name: 'a', in: 'query' }] }, annotations),
    of({}),
  ],
  ['a property goes', 'GET /things (200).a', withProperty, of({ responses: { 200: json({ type: 'object' }) } })],
])('when %s', (_, coordinate, base, head) => {
  test.each<[title: string, annotations: object, day: string, verdict: string]>([
    ['what is stable fails', {}, TODAY, 'fails'],
    ['what is beta fails', BETA, TODAY, 'fails'],
    ['what is experimental may go', EXPERIMENTAL, TODAY, 'allowed'],
    ['on its sunset it is still served', until(TODAY), TODAY, 'fails'],
    ['on the day after its sunset it may go', until(TODAY), '2026-11-22', 'allowed'],
    ['also if it is beta', { ...BETA, ...until(TODAY) }, '2026-11-22', 'allowed'],
  ])('%s', async (_, annotations, day, verdict) => {
    expect((await judged(base(annotations), head, day)).map((line) => line.split('. ')[0])).toEqual([
      `${verdict}: ${coordinate}`,
    ]);
  });
});

test.each<[title: string, base: Draft, head: Draft, verdict: RegExp]>([
  ['stable to beta', of({}), of({}, BETA), /^fails: GET \/things\. Stable/],
  ['beta to stable', of({}, BETA), of({}), /^$/],
  [
    'an annotation that only repeats that of the operation',
    of({ parameters: [{ name: 'a', in: 'query', ...BETA }] }, BETA),
    of({ parameters: [{ name: 'a', in: 'query' }] }, BETA),
    /^$/,
  ],
  ['a sunset that is too near', of({}), of({}, until('2027-05-19')), /^fails: GET \/things\. Too short/],
  ['a sunset that is not', of({}), of({}, until('2027-05-20')), /^allowed/],
  [
    'an earlier sunset of a parameter',
    withParameter(until('2027-12-31')),
    withParameter(until('2027-01-01')),
    /^fails: GET \/things \(query a\)\. Too short/,
  ],
  [
    'an earlier sunset of a property',
    withProperty(until('2027-12-31')),
    withProperty(until('2027-01-01')),
    /^fails: GET \/things \(200\)\.a\. Too short/,
  ],
  [
    'a beta parameter that goes from an operation after its sunset',
    of({ parameters: [{ name: 'a', in: 'query', ...BETA }] }, until('2026-07-01')),
    of({}, until('2026-07-01')),
    /^fails: GET \/things \(query a\)\. Beta/,
  ],
  [
    'an experimental parameter that no longer takes null',
    withParameter({ ...EXPERIMENTAL, schema: { ...text, nullable: true } }),
    withParameter(EXPERIMENTAL),
    /^allowed: GET \/things \(query a\)\. Experimental/,
  ],
  [
    'an experimental property of a response that becomes optional',
    withAnswer(['a']),
    withAnswer([]),
    /^allowed: GET \/things \(200\)\.a\. Experimental/,
  ],
  ['a lifted deprecation', of({}, until('2027-12-31')), of({}), /^$/],
])('%s', async (_, base, head, verdict) => {
  expect((await judged(base, head, TODAY)).join()).toMatch(verdict);
});

test('an enum value has the annotation that is listed beside the enum', async () => {
  const draft = (values: readonly string[], sunset: string): Draft => ({
    ...of({ parameters: [{ name: 'a', in: 'query', schema: { type: 'array', items: reference } }] }),
    schemas: { Thing: { ...text, enum: values, 'x-enum-marks': { b: until(sunset) } } },
  });
  const goes = (day: string) => judged(draft(['a', 'b'], TODAY), draft(['a'], TODAY), day);
  expect((await goes(TODAY)).join()).toMatch(/^fails: Thing\.b\. Deprecated/);
  expect((await goes('2026-11-22')).join()).toMatch(/^allowed: Thing\.b\. Deprecated/);
  const moved = await judged(draft(['a', 'b'], '2027-12-31'), draft(['a', 'b'], '2027-01-01'), TODAY);
  expect(moved.join()).toMatch(/^fails: Thing\.b\. Too short/);
});

test('a component is as stable as the most stable operation that uses it', async () => {
  const draft = (schema: object, annotations: object): Draft => ({
    paths: {
      '/a': { get: { responses: { 200: json(reference) }, ...EXPERIMENTAL } },
      '/b': { get: { responses: { 200: json(reference) }, ...annotations } },
    },
    schemas: { Thing: schema },
  });
  const on = (annotations: object) =>
    judged(draft(object({ a: text }), annotations), draft(object({}), annotations), TODAY);
  expect((await on({})).join()).toMatch(/^fails: Thing\.a\. Stable/);
  expect((await on(until('2027-12-31'))).join()).toMatch(/^fails: Thing\.a\. Deprecated/);
  expect((await on(EXPERIMENTAL)).join()).toMatch(/^allowed: Thing\.a\. Experimental/);
});
