import SchemaBuilder from '@pothos/core';
import { describe, expect, test } from 'vitest';
import { fieldOf } from '../../../src/engine/http/reply.ts';
import { type Annotation, beta, deprecated, experimental } from '../../../src/engine/lifecycle/annotation.ts';
import { text } from '../../../src/engine/schema/bounds.ts';
import '../../../src/engine/schema/plugin.ts';
import { compileRoutes } from '../../../src/engine/rest/compile.ts';
import { gql, ok, route } from '../../../src/engine/rest/route.ts';

const bounds = text({ min: 0, max: 100 });

type Annotations = Annotation | readonly Annotation[] | undefined;

interface Places {
  readonly field?: Annotations;
  readonly other?: Annotations;
  readonly argument?: Annotations;
  readonly required?: Annotations;
  readonly input?: Annotations;
  readonly part?: Annotations;
}

const annotation = {
  since: '2026-01-01',
  sunset: '2026-06-30',
  why: 'It was wrong.',
  successor: { coordinate: 'Query.other' },
};

/** A schema with annotations at some of its places. */
function build({ field, other, argument, required, input, part }: Places) {
  const builder = new SchemaBuilder<{ DefaultFieldNullability: false }>({
    plugins: ['engine'],
    defaultFieldNullability: false,
  });
  const at = (lifecycle: Annotations) => (lifecycle === undefined ? {} : { lifecycle });
  const Input = builder.inputType('In', {
    description: 'In.',
    fields: (t) => ({
      text: t.string({ required: true, bounds, ...at(input), description: 'Text.' }),
      count: t.int({ defaultValue: 1, description: 'Count.' }),
    }),
  });
  const Thing = builder.objectRef<{ id: number }>('Thing').implement({
    description: 'A thing.',
    fields: (t) => ({ id: t.exposeInt('id', { ...at(part), description: 'Id.' }) }),
  });
  const args = {
    id: { required: false, ...at(argument), description: 'Id.' },
    key: { required: true, ...at(required), description: 'Key.' },
  } as const;
  builder.queryType({
    description: 'Reads.',
    fields: (t) => ({
      thing: t.field({
        type: Thing,
        ...at(field),
        description: 'A thing.',
        args: { id: t.arg.int(args.id), key: t.arg.int(args.key), in: t.arg({ type: Input, description: 'In.' }) },
        resolve: () => ({ id: 1 }),
      }),
      other: t.field({
        type: Thing,
        ...at(other),
        description: 'Another.',
        args: { ref: t.arg.int({ description: 'Ref.' }) },
        resolve: () => ({ id: 2 }),
      }),
    }),
  });
  return builder.toSchema({ sortSchema: false });
}

describe('an invalid annotation makes the build of the schema fail, and the error says why', () => {
  test.each<[string, Places, string]>([
    [
      'a sunset before the deprecation',
      { field: deprecated({ ...annotation, sunset: '2025-12-31' }) },
      'Query.thing: its sunset 2025-12-31 is before its deprecation, 2026-01-01.',
    ],
    [
      "less than 180 days' notice for a stable field",
      { field: deprecated({ ...annotation, sunset: '2026-06-29' }) },
      "Query.thing: from 2026-01-01 to 2026-06-29 are 179 days; stable elements need 180 days' notice.",
    ],
    [
      "less than 30 days' notice for a beta field",
      { field: [beta(), deprecated({ ...annotation, sunset: '2026-01-30' })] },
      'are 29 days; beta elements need 30',
    ],
    [
      'a day that does not exist',
      { field: deprecated({ ...annotation, sunset: '2026-06-31' }) },
      'Query.thing: 2026-06-31 is not a day',
    ],
    [
      'an instant instead of a day',
      { field: deprecated({ ...annotation, since: '2026-01-01T00:00:00Z' }) },
      '2026-01-01T00:00:00Z is not a day',
    ],
    [
      'a successor that does not exist',
      { field: deprecated({ ...annotation, successor: { coordinate: 'Query.nothing' } }) },
      'Query.thing: its successor Query.nothing is not in the schema.',
    ],
    [
      'a successor that is deprecated itself',
      { field: deprecated(annotation), other: deprecated({ ...annotation, successor: { coordinate: 'Thing.id' } }) },
      'Query.thing: its successor Query.other is deprecated itself.',
    ],
    [
      'itself as its successor',
      { field: deprecated({ ...annotation, successor: { coordinate: 'Query.thing' } }) },
      'is deprecated itself',
    ],
    [
      'a successor without the argument',
      { field: deprecated({ ...annotation, successor: { coordinate: 'Query.other', args: { id: 'id' } } }) },
      'Query.other has no argument id',
    ],
    [
      'an argument for its successor that it lacks',
      { field: deprecated({ ...annotation, successor: { coordinate: 'Query.other', args: { ref: 'ref' } } }) },
      'Query.thing: it has no argument ref to give to its successor.',
    ],
    [
      'a deprecated required argument',
      { required: deprecated(annotation) },
      'Query.thing(key:): it is required, so clients cannot leave it out, and it cannot be deprecated',
    ],
    [
      'a deprecated required input field',
      { input: deprecated(annotation) },
      'In.text: it is required, so clients cannot leave it out, and it cannot be deprecated',
    ],
    ['two stabilities', { field: [beta(), experimental()] }, 'Query.thing: it can be experimental or beta'],
    ['two deprecations', { field: [deprecated(annotation), deprecated(annotation)] }, 'each at most once'],
    ['an empty list', { field: [] }, 'Query.thing: it can be'],
    [
      'a why that is not a sentence',
      { field: deprecated({ ...annotation, why: 'old' }) },
      'Query.thing: why must be a sentence',
    ],
  ])('%s', (_, places, message) => {
    expect(() => build(places)).toThrow(message);
  });

  test('several errors, all reported at once', () => {
    const old = deprecated({ ...annotation, sunset: '2026-02-01' });
    expect(() => build({ field: old, part: old })).toThrow(
      /^Thing\.id: .*\nQuery\.thing: .*$|^Query\.thing: .*\nThing\.id: .*$/,
    );
  });

  test('a deprecation reason without an annotation', () => {
    const builder = new SchemaBuilder({ plugins: ['engine'] });
    builder.queryType({ fields: (t) => ({ old: t.int({ deprecationReason: 'Old.', resolve: () => 1 }) }) });
    expect(() => builder.toSchema()).toThrow('Query.old: declare its deprecation with lifecycle: deprecated({...})');
  });
});

describe('a valid annotation is accepted', () => {
  test.each<[string, Places]>([
    ['180 days for a stable field', { field: deprecated(annotation) }],
    ['30 days for a beta field', { field: [beta(), deprecated({ ...annotation, sunset: '2026-01-31' })] }],
    [
      'the same day for an experimental field',
      { field: [experimental(), deprecated({ ...annotation, sunset: '2026-01-01' })] },
    ],
    ['29 February in a leap year', { field: deprecated({ ...annotation, sunset: '2028-02-29' }) }],
    ['an optional argument', { argument: deprecated(annotation) }],
  ])('%s', (_, places) => {
    expect(build(places).getQueryType()).toBeDefined();
  });
});

const Fields = 'fragment Thing on Thing { id }';
const thingRoute = route('GET', '/things/{id}', {
  tag: 'Things',
  operation: gql`query getThing($id: Int, $key: Int! = 1) { thing(id: $id, key: $key) { ...Thing } } ${Fields}`,
  reply: ok(),
});
const otherRoute = route('GET', '/v2/{ref}/thing', {
  tag: 'Things',
  operation: gql`query getOther($ref: Int) { other(ref: $ref) { ...Thing } } ${Fields}`,
  reply: ok(),
});

describe('a route promises no more than the fields that it selects', () => {
  const things = (places: Places) => compileRoutes(build(places), [thingRoute]);

  test('a stable or beta route cannot select an experimental field', () => {
    expect(() => things({ part: experimental() })).toThrow(
      'getThing is stable, and so cannot select Thing.id, which is experimental.',
    );
    expect(() => things({ field: beta(), part: experimental() })).toThrow('getThing is beta');
  });

  test('an experimental route can', () => {
    expect(things({ field: experimental(), part: experimental() })).toHaveLength(1);
  });
});

describe('the successor of a route', () => {
  const compile = (args: Record<string, string>, routes = [thingRoute, otherRoute]) => {
    const field = deprecated({ ...annotation, successor: { coordinate: 'Query.other', args } });
    return compileRoutes(build({ field }), routes);
  };

  test('must be a route', () => {
    expect(() => compile({}, [thingRoute])).toThrow('getThing: its successor Query.other has no route.');
  });

  test('must have a value for each variable of its path', () => {
    expect(() => compile({})).toThrow('getThing: no argument goes into ref of its successor Query.other.');
  });

  test('can only have values from the path of the deprecated route', () => {
    expect(() => compile({ ref: 'key' })).toThrow('getThing: its path has no variable for key.');
  });

  test('has the values of the request in its URL, encoded so that they cannot break the header field', () => {
    const [thing] = compile({ ref: 'id' });
    expect(thing?.lifecycle.successor?.operation).toBe('GET /v2/{id}/thing');
    const linkFor = (pathValues: object) => {
      const address = (path: string) => `https://x.example${path}`;
      return fieldOf(thing?.lifecycle.headersFor({ pathValues: { ...pathValues }, address }) ?? [], 'link');
    };
    const first = (pathValues: object) => linkFor(pathValues)?.split(';', 1)[0];
    expect(first({ id: 7 })).toBe('<https://x.example/v2/7/thing>');
    expect(first({ id: '7>; rel="next"' })).toBe('<https://x.example/v2/7%3E%3B%20rel%3D%22next%22/thing>');
    expect(first({})).toBe('<https://x.example/v2/%7Bid%7D/thing>');
  });
});
