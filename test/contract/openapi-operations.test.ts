import { describe, expect, test } from 'vitest';
import { openApiChanges } from '../../src/contract/openapi-changes.ts';
import { readOpenApi } from '../../src/contract/openapi-elements.ts';
import { type Draft, integer, json, object, ok, reference, text, textsOf } from '../support/drafts.ts';
import { changes, inResponse } from './openapi-drafts.ts';

describe('operations', () => {
  const of = (operation: object): Draft => ({ paths: { '/things': { get: { responses: ok, ...operation } } } });
  const parameter = (more: object) => ({ parameters: [{ name: 'a', in: 'query', schema: text, ...more }] });
  const answers = (...statuses: number[]) => ({ responses: Object.fromEntries(statuses.map((one) => [one, {}])) });

  test.each<[title: string, before: object, after: object, changed: readonly string[]]>([
    ['a parameter goes', parameter({}), {}, ['break GET /things (query a): GET /things (query a) is gone.']],
    [
      'one of several parameters goes',
      { parameters: ['query', 'header'].flatMap((place) => ['a', 'b'].map((name) => ({ name, in: place }))) },
      { parameters: ['a', 'b'].map((name) => ({ name, in: 'query' })).concat({ name: 'b', in: 'header' }) },
      ['break GET /things (header a): GET /things (header a) is gone.'],
    ],
    ['an optional parameter is new', {}, parameter({}), []],
    [
      'a required parameter is new',
      {},
      parameter({ required: true }),
      ['break GET /things (query a): GET /things (query a) is new and required.'],
    ],
    [
      'a parameter becomes required',
      parameter({}),
      parameter({ required: true }),
      ['break GET /things (query a): Its required changed from none to true.'],
    ],
    [
      'a parameter is bounded',
      parameter({}),
      parameter({ schema: { ...text, maxLength: 9 } }),
      ['break GET /things (query a): Its maxLength changed from none to 9.'],
    ],
    [
      'a parameter loses a value',
      parameter({ schema: { ...text, enum: ['id', '-id'] } }),
      parameter({ schema: { ...text, enum: ['id'] } }),
      ['break GET /things (query a) -id: GET /things (query a) -id is gone.'],
    ],
    [
      'a list is serialized differently',
      parameter({ explode: true, style: 'form' }),
      parameter({ explode: false, style: 'pipeDelimited' }),
      [
        'break GET /things (query a): Its style changed from "form" to "pipeDelimited".',
        'break GET /things (query a): Its explode changed from true to false.',
      ],
    ],
    ['a success goes', answers(200, 202), answers(200), ['break GET /things (202): GET /things (202) is gone.']],
    ['a success is new', answers(200), answers(200, 202), ['surprise GET /things (202): GET /things (202) is new.']],
    ['a failure goes', answers(200, 409), answers(200), ['surprise GET /things (409): GET /things (409) is gone.']],
    ['a failure is new', answers(200), answers(200, 409), []],
    [
      'a media type is no longer answered',
      { responses: { 200: json(text) } },
      { responses: { 200: { content: { 'text/plain': { schema: text } } } } },
      ['break GET /things (200): application/json of GET /things (200) is gone.'],
    ],
    [
      'a media type is no longer taken',
      { requestBody: { content: { 'application/json': {}, 'text/plain': {} } } },
      { requestBody: { content: { 'application/json': {} } } },
      ['break GET /things (body): text/plain of GET /things (body) is gone.'],
    ],
    [
      'a body is needed',
      {},
      { requestBody: { required: true, ...json(text) } },
      ['break GET /things (body): GET /things (body) is new and required.'],
    ],
    ['a body may be left out', { requestBody: { required: true, ...json(text) } }, { requestBody: json(text) }, []],
    ['a body is not taken', { requestBody: json(text) }, {}, ['break GET /things (body): GET /things (body) is gone.']],
    [
      'a header goes',
      { responses: { 200: { headers: { Location: {} } }, 201: { headers: { Location: {} } } } },
      { responses: { 200: {}, 201: {} } },
      [
        'break GET /things (header Location of answers): Location of GET /things (200) is gone.',
        'break GET /things (header Location of answers): Location of GET /things (201) is gone.',
      ],
    ],
    [
      'a header changes',
      { responses: { 200: { headers: { 'Retry-After': { schema: integer } } } } },
      { responses: { 200: { headers: { 'Retry-After': { schema: text } } } } },
      ['break GET /things (header Retry-After of answers): Its type changed from "integer" to "string".'],
    ],
    [
      'the headers of an annotation go with it',
      { deprecated: true, responses: { 200: { headers: { Sunset: {}, Link: {}, 'API-Stability': {} } } } },
      answers(200),
      [],
    ],
    [
      'the headers of a deprecation go from a beta operation',
      { 'x-stability': 'beta', responses: { 200: { headers: { Sunset: {}, 'API-Stability': {} } } } },
      answers(200),
      ['break GET /things (header Sunset of answers): Sunset of GET /things (200) is gone.'],
    ],
    [
      'the headers of an annotation go from a stable operation',
      { responses: { 200: { headers: { 'API-Stability': {} } } } },
      answers(200),
      ['break GET /things (header API-Stability of answers): API-Stability of GET /things (200) is gone.'],
    ],
    [
      'credentials are asked for',
      {},
      { security: [{ key: [] }] },
      ['break GET /things: Its security changed from none to [{"key":[]}].'],
    ],
    [
      'a scope is required',
      { 'x-required-scopes': ['read'] },
      { 'x-required-scopes': ['read', 'write'] },
      ['break GET /things: Its x-required-scopes changed from ["read"] to ["read","write"].'],
    ],
    ['a scope is no longer required', { 'x-required-scopes': ['read'] }, { 'x-required-scopes': [] }, []],
    ['a method of authentication is new', { security: [{ a: [] }] }, { security: [{ a: [] }, { b: [] }] }, []],
    [
      'a method of authentication goes',
      { security: [{ a: [] }, { b: [] }] },
      { security: [{ b: [] }] },
      ['break GET /things: Its security changed from [{"a":[]},{"b":[]}] to [{"b":[]}].'],
    ],
    ['credentials may be left out', { security: [{ key: [] }] }, { security: [{ key: [] }, {}] }, []],
    ['only words change', { summary: 'A' }, { summary: 'B', operationId: 'b', tags: ['B'] }, []],
    [
      'its operationId changes',
      { operationId: 'a' },
      { operationId: 'b' },
      ['break GET /things: Its operationId changed from "a" to "b".'],
    ],
  ])('%s', (_, before, after, changed) => {
    expect(changes(of(before), of(after))).toEqual(changed);
  });

  test('the header parameters of an annotation go with it, others must stay', () => {
    const parameters = ['API-Client', 'If-Match'].map((name) => ({ name, in: 'header' }));
    expect(changes(of({ 'x-stability': 'beta', parameters }), of({}))).toEqual([
      'break GET /things (header If-Match): GET /things (header If-Match) is gone.',
    ]);
  });

  test('the security of the document is that of the operations without one of their own', () => {
    const security = [{ key: [] }];
    expect(changes(of({}), { ...of({}), security })).toEqual([
      'break GET /things: Its security changed from none to [{"key":[]}].',
    ]);
    expect(changes(of({ security: [] }), { ...of({ security: [] }), security })).toEqual([]);
  });

  test('the same credentials are to be sent in the same way', () => {
    const draft = (scheme: object): Draft => ({
      ...of({ security: [{}, { key: [] }] }),
      securitySchemes: { key: scheme },
    });
    const bearer = { type: 'http', scheme: 'bearer' };
    expect(changes(draft(bearer), draft({ type: 'http', scheme: 'basic' }))).toEqual([
      'break securitySchemes.key: Its securityScheme changed from {"type":"http","scheme":"bearer"} to {"type":"http","scheme":"basic"}.',
    ]);
    expect(changes(draft(bearer), draft({ ...bearer, description: 'A key.', bearerFormat: 'JWT' }))).toEqual([]);
    expect(changes(draft(bearer), of({ security: [] }))).toEqual([]);
  });

  test('references to parameters and headers are followed, and one that points to nothing is reported', () => {
    const draft = (name: string, schema: object): Draft => ({
      ...of({
        parameters: [{ $ref: `#/components/parameters/${name}` }],
        responses: { 200: { headers: { Link: { $ref: '#/components/headers/Link' } } } },
      }),
      parameters: { Client: { name: 'API-Client', in: 'header', schema } },
      headers: { Link: { schema } },
    });
    expect(changes(draft('Client', text), draft('Client', integer))).toEqual([
      'break GET /things (header API-Client): Its type changed from "string" to "integer".',
      'break GET /things (header Link of answers): Its type changed from "string" to "integer".',
    ]);
    expect(() => changes(draft('Nobody', text), draft('Nobody', text))).toThrow(
      'What #/components/parameters/Nobody points to must be an object.',
    );
  });

  test('an operation goes, with its path or alone', () => {
    const both = { paths: { '/things': { get: { responses: ok }, post: { responses: ok } } } };
    expect(changes(both, of({}))).toEqual(['break POST /things: POST /things is gone.']);
    expect(changes(of({}), { paths: {} })).toEqual(['break GET /things: GET /things is gone.']);
  });

  test('a path parameter can be renamed, for its name is not sent', () => {
    const at = (name: string, schema: object) => ({
      paths: { [`/things/{${name}}`]: { get: { responses: ok, parameters: [{ name, in: 'path', schema }] } } },
    });
    expect(changes(at('id', integer), at('thingId', integer))).toEqual([]);
    expect(changes(at('id', integer), at('thingId', text))).toEqual([
      'break GET /things/{id} (path id): Its type changed from "integer" to "string".',
    ]);
  });

  test('what several operations share is reported once, with their names', () => {
    const draft = (schema: object): Draft => ({
      paths: {
        '/a': { get: { responses: { 200: json(reference) } } },
        '/b': { get: { responses: { 200: json(reference) } } },
      },
      schemas: { Thing: schema },
    });
    const [was, is] = [object({ a: text }), object({})].map((schema) => readOpenApi(textsOf(draft(schema))[1]));
    if (was === undefined || is === undefined) throw new Error('There are two documents.');
    expect(openApiChanges(was, is)).toMatchObject([{ coordinate: 'Thing.a', operations: ['GET /a', 'GET /b'] }]);
  });

  test('replacing a component with another of the same shape is no change', () => {
    const draft = (name: string): Draft => ({
      paths: { '/a': { get: { responses: { 200: json({ $ref: `#/components/schemas/${name}` }) } } } },
      schemas: { [name]: object({ a: text }) },
    });
    expect(changes(draft('Thing'), draft('Other'))).toEqual([]);
  });

  test('a keyword that is not understood is reported, not ignored', () => {
    const draft = inResponse({ not: text });
    expect(() => changes(draft, draft)).toThrow('does not understand the keyword not');
  });
});
