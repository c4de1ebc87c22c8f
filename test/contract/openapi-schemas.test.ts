import { describe, expect, test } from 'vitest';
import { type Draft, integer, json, judged, object, ok, reference, reported, text } from '../support/drafts.ts';
import { changes, inRequest, inResponse } from './openapi-drafts.ts';

describe.each<[title: string, before: object, after: object, request: string, response: string]>([
  ['a property goes', object({ a: text }), object({}), 'break Thing.a', 'break Thing.a'],
  ['an optional property is new', object({}), object({ a: text }), 'fine', 'fine'],
  ['a required property is new', object({}), object({ a: text }, ['a']), 'break Thing.a', 'fine'],
  ['a property becomes required', object({ a: text }), object({ a: text }, ['a']), 'break Thing.a', 'fine'],
  ['a property becomes optional', object({ a: text }, ['a']), object({ a: text }), 'fine', 'break Thing.a'],
  ['other properties are shut out', object({}), { ...object({}), additionalProperties: false }, 'break Thing', 'fine'],
  ['other properties are let in', { ...object({}), additionalProperties: false }, object({}), 'fine', 'fine'],
  ['the type changes', object({ a: text }), object({ a: integer }), 'break Thing.a', 'break Thing.a'],
  ['integers become numbers', integer, { type: 'number' }, 'fine', 'break Thing'],
  ['numbers become integers', { type: 'number' }, integer, 'break Thing', 'fine'],
  ['the type is left open', text, {}, 'fine', 'break Thing'],
  ['int32 becomes int64', { ...integer, format: 'int32' }, { ...integer, format: 'int64' }, 'fine', 'break Thing'],
  ['int64 becomes int32', { ...integer, format: 'int64' }, { ...integer, format: 'int32' }, 'break Thing', 'fine'],
  ['a format is asked for', text, { ...text, format: 'date-time' }, 'break Thing', 'fine'],
  ['null is let in', object({ a: text }), object({ a: { ...text, nullable: true } }), 'fine', 'break Thing.a'],
  ['null is shut out', object({ a: { ...text, nullable: true } }), object({ a: text }), 'break Thing.a', 'fine'],
  ['an enum gets a value', { enum: ['a'] }, { enum: ['a', 'b'] }, 'fine', 'surprise Thing.b'],
  ['an enum loses a value', { enum: ['a', 'b'] }, { enum: ['a'] }, 'break Thing.b', 'fine'],
  ['an enum begins', text, { ...text, enum: ['a'] }, 'break Thing', 'fine'],
  ['an enum ends', { ...text, enum: ['a'] }, text, 'fine', 'surprise Thing'],
  ['a greatest value goes down', { ...integer, maximum: 9 }, { ...integer, maximum: 8 }, 'break Thing', 'fine'],
  ['a greatest value goes up', { ...integer, maximum: 8 }, { ...integer, maximum: 9 }, 'fine', 'break Thing'],
  ['a least value goes up', { ...integer, minimum: 0 }, { ...integer, minimum: 1 }, 'break Thing', 'fine'],
  ['a least value goes down', { ...integer, minimum: 1 }, { ...integer, minimum: 0 }, 'fine', 'break Thing'],
  ['a length is bounded', text, { ...text, maxLength: 200 }, 'break Thing', 'fine'],
  ['a length is not bounded', { ...text, minLength: 1 }, text, 'fine', 'break Thing'],
  ['two properties are asked for', { minProperties: 1 }, { minProperties: 2 }, 'break Thing', 'fine'],
  ['one property is asked for', { minProperties: 2 }, { minProperties: 1 }, 'fine', 'break Thing'],
  ['one property is enough', { maxProperties: 2 }, { maxProperties: 1 }, 'break Thing', 'fine'],
  ['two properties are let in', { maxProperties: 1 }, { maxProperties: 2 }, 'fine', 'break Thing'],
  ['two items are asked for', { minItems: 1 }, { minItems: 2 }, 'break Thing', 'fine'],
  ['one item is asked for', { minItems: 2 }, { minItems: 1 }, 'fine', 'break Thing'],
  ['a pattern is asked for', text, { ...text, pattern: '\\S' }, 'break Thing', 'fine'],
  ['a pattern changes', { ...text, pattern: '\\S' }, { ...text, pattern: 'a' }, 'break Thing', 'break Thing'],
  [
    'a pattern has another alternative',
    { ...text, pattern: '^(a|b)/1$' },
    { ...text, pattern: '^(c|a|b)/1$' },
    'fine',
    'break Thing',
  ],
  [
    'a pattern has other alternatives',
    { ...text, pattern: '^(a|b)/1$' },
    { ...text, pattern: '^(a|c)/1$' },
    'break Thing',
    'break Thing',
  ],
  [
    'a pattern excludes another text',
    { ...text, pattern: '^(?!(a)$)\\w+$' },
    { ...text, pattern: '^(?!(a|b)$)\\w+$' },
    'break Thing',
    'break Thing',
  ],
  [
    'a pattern excludes other characters',
    { ...text, pattern: '^[^(a)]+$' },
    { ...text, pattern: '^[^(a|b)]+$' },
    'break Thing',
    'break Thing',
  ],
  [
    'a pattern changes beside its alternatives',
    { ...text, pattern: '^(a|b)/1$' },
    { ...text, pattern: '^(a|b|c)/2$' },
    'break Thing',
    'break Thing',
  ],
  [
    'a list may be longer',
    { type: 'array', items: text, maxItems: 8 },
    { type: 'array', items: text, maxItems: 9 },
    'fine',
    'fine',
  ],
  [
    'a list must be shorter',
    { type: 'array', items: text, maxItems: 9 },
    { type: 'array', items: text, maxItems: 8 },
    'break Thing',
    'fine',
  ],
  ['a default changes', object({ a: { ...text, default: 'b' } }), object({ a: text }), 'surprise Thing.a', 'fine'],
  [
    'the items change',
    { type: 'array', items: { ...integer, maximum: 9 } },
    { type: 'array', items: { ...integer, maximum: 8 } },
    'break Thing[]',
    'fine',
  ],
  ['only words change', { ...text, description: 'A.' }, { ...text, description: 'B.', example: 'b' }, 'fine', 'fine'],
  [
    'it is said in parts',
    object({ a: text }, ['a']),
    { allOf: [object({ a: text }), object({}, ['a'])] },
    'fine',
    'fine',
  ],
  [
    'an alternative is new',
    { anyOf: [object({ a: text })] },
    { anyOf: [object({ a: text }), object({ b: text })] },
    'fine',
    'surprise Thing.1',
  ],
  ['an alternative goes', { oneOf: [text, integer] }, { oneOf: [text] }, 'break Thing.1', 'fine'],
  [
    'a property of an alternative goes',
    { anyOf: [object({ a: text }), object({ b: text })] },
    { anyOf: [object({ a: text }), object({})] },
    'break Thing.1.b',
    'break Thing.1.b',
  ],
  ['there are alternatives', {}, { oneOf: [text, integer] }, 'break Thing', 'fine'],
  ['there are no alternatives', { oneOf: [text, integer] }, {}, 'fine', 'break Thing'],
  [
    'it contains itself, and a property goes',
    object({ a: text, more: { type: 'array', items: reference } }),
    object({ more: { type: 'array', items: reference } }),
    'break Thing.a',
    'break Thing.a',
  ],
])('when in a schema %s', (_, before, after, request, response) => {
  const outcome = (all: readonly string[]) => (all.length === 0 ? 'fine' : all.map((one) => one.split(': ')[0]).join());

  test(`in a request it is: ${request}`, () => {
    expect(outcome(changes(inRequest(before), inRequest(after)))).toBe(request);
  });

  test(`in a response it is: ${response}`, () => {
    expect(outcome(changes(inResponse(before), inResponse(after)))).toBe(response);
  });
});

test('a component that an operation takes, answers with and uses twice is compared in each place', () => {
  const [was, is] = [object({ a: { ...text, maxLength: 8 } }), object({ a: { ...text, maxLength: 9 } })];
  const draft = (names: readonly [string, string], thing: object): Draft => {
    const [one, two] = names.map((name) => ({ $ref: `#/components/schemas/${name}` }));
    const paths = {
      '/things': { put: { requestBody: json(reference), responses: { 200: json(object({ one, two })) } } },
    };
    return { paths, schemas: { Thing: thing, Other: is } };
  };
  expect(changes(draft(['Thing', 'Thing'], was), draft(['Thing', 'Thing'], is))).toEqual([
    'break Thing.a: Its maxLength changed from 8 to 9.',
  ]);
  expect(changes(draft(['Thing', 'Thing'], was), draft(['Thing', 'Other'], was))).toEqual([
    'break Thing.a: Its maxLength changed from 8 to 9.',
  ]);
});

test('a component that is referred to with a description is reported as itself', () => {
  const used = (thing: object): Draft => ({
    paths: {
      '/a': { get: { responses: { 200: json(object({ one: { description: 'One.', allOf: [reference] } })) } } },
    },
    schemas: { Thing: thing },
  });
  expect(changes(used(object({ a: text })), used(object({})))).toEqual(['break Thing.a: Thing.a is gone.']);
});

test.each([
  ['beside it', (maxLength: number) => ({ allOf: [reference], maxLength })],
  ['in another part', (maxLength: number) => ({ allOf: [reference, { maxLength }] })],
])('a component that is narrowed where it is used, %s, is also compared there', (_, narrowed) => {
  const used = (maxLength: number): Draft => ({
    paths: {
      '/a': { post: { requestBody: json(object({ one: reference, other: narrowed(maxLength) })), responses: ok } },
    },
    schemas: { Thing: text },
  });
  expect(changes(used(9), used(8))).toEqual(['break POST /a (body).other: Its maxLength changed from 9 to 8.']);
});

test('a change to or from alternatives is named so', () => {
  expect(changes(inResponse({ anyOf: [text, integer] }), inResponse({}))).toEqual([
    'break Thing: anyOf of Thing is gone.',
  ]);
  expect(changes(inRequest({}), inRequest({ oneOf: [text, integer] }))).toEqual([
    'break Thing: oneOf of Thing is new.',
  ]);
});

test('the schema of an alternative is compared, in whatever order the alternatives are', () => {
  const draft = (names: readonly string[], b: object): Draft => ({
    paths: {
      '/things': {
        get: { responses: { 200: json({ anyOf: names.map((name) => ({ $ref: `#/components/schemas/${name}` })) }) } },
      },
    },
    schemas: { A: object({ a: text }), B: b },
  });
  expect(changes(draft(['A', 'B'], object({ b: text })), draft(['B', 'A'], object({ b: text })))).toEqual([]);
  expect(changes(draft(['A', 'B'], object({ b: text })), draft(['B', 'A'], object({})))).toEqual([
    'break B.b: B.b is gone.',
  ]);
});

describe('a component that no operation refers to, such as an error in another format,', () => {
  const draft = (schemas: object): Draft => ({ ...inRequest(text), schemas: { Thing: text, ...schemas } });
  const problem = object({ a: text, b: text }, ['a', 'b']);

  test('is compared as part of answers', () => {
    expect(changes(draft({ Problem: problem }), draft({ Problem: object({ a: integer, b: text }, ['a']) }))).toEqual([
      'break Problem.a: Its type changed from "string" to "integer".',
      'break Problem.b: Its required changed from true to false.',
    ]);
    expect(
      changes(draft({ Problem: problem }), draft({ Problem: object({ a: text, b: text, c: text }, ['a', 'b']) })),
    ).toEqual([]);
    expect(changes(draft({ Problem: problem }), draft({}))).toEqual(['break Problem: Problem is gone.']);
    expect(changes(draft({}), draft({ Problem: problem }))).toEqual([]);
  });

  test('is compared also with one that an operation refers to', () => {
    const used = (schema: object): Draft => ({
      paths: {
        ...inRequest(text).paths,
        '/a': { get: { responses: { 400: json({ $ref: '#/components/schemas/Problem' }) } } },
      },
      schemas: { Thing: text, Problem: schema },
    });
    expect(changes(draft({ Problem: problem }), used(problem))).toEqual([]);
    expect(changes(draft({ Problem: problem }), used(object({ a: text }, ['a'])))).toEqual([
      'break Problem.b: Problem.b is gone.',
    ]);
  });

  test('is stable, and reported without operations', async () => {
    expect(await reported(draft({ Problem: problem }), draft({}), '2026-11-21')).toContain('    Problem is gone.\n');
    expect((await judged(draft({ Problem: problem }), draft({ Problem: object({}) }), '2026-11-21')).join()).toMatch(
      /^fails: Problem\.a\. Stable: .*,fails: Problem\.b\. Stable/,
    );
  });
});

test('what a component says about the places that refer to it is reported there', () => {
  const draft = (thing: object): Draft => ({
    paths: { '/things': { post: { requestBody: json(object({ a: reference })), responses: ok } } },
    schemas: { Thing: thing },
  });
  expect(changes(draft({ ...text, default: 'b' }), draft(text))).toEqual([
    'surprise POST /things (body).a: Its default changed from "b" to none.',
  ]);
});
