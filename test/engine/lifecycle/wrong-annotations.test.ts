import SchemaBuilder from '@pothos/core';
import { describe, expect, test } from 'vitest';
import { text } from '../../../src/engine/schema/bounds.ts';
import '../../../src/engine/schema/input-plugin.ts';
import { fieldOf } from '../../../src/engine/http/reply.ts';
import { type Annotation, beta, deprecated, experimental } from '../../../src/engine/lifecycle/annotation.ts';
import '../../../src/engine/lifecycle/plugin.ts';
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

/** A schema with marks at some of its places. */
function build({ field, other, argument, required, input, part }: Places) {
  const builder = new SchemaBuilder<{ DefaultFieldNullability: false }>({
    plugins: ['lifecycle', 'input'],
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

describe('a mark that cannot hold stops the build, and says why', () => {
  test.each<[string, Places, string]>([
    [
      'a sunset before its start',
      { field: deprecated({ ...annotation, sunset: '2025-12-31' }) },
      'Query.thing: its sunset 2025-12-31 is before its deprecation, 2026-01-01.',
    ],
    [
      "less than 180 days' notice of what is stable",
      { field: deprecated({ ...annotation, sunset: '2026-06-29' }) },
      "Query.thing: from 2026-01-01 to 2026-06-29 are 179 days; what is stable needs 180 days' notice.",
    ],
    [
      "less than 30 days' notice of a beta",
      { field: [beta(), deprecated({ ...annotation, sunset: '2026-01-30' })] },
      'are 29 days; what is beta needs 30',
    ],
    [
      'a day that the calendar does not have',
      { field: deprecated({ ...annotation, sunset: '2026-06-31' }) },
      'Query.thing: 2026-06-31 is no day',
    ],
    [
      'an instant for a day',
      { field: deprecated({ ...annotation, since: '2026-01-01T00:00:00Z' }) },
      '2026-01-01T00:00:00Z is no day',
    ],
    [
      'a successor that is not there',
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
      'a required argument deprecated',
      { required: deprecated(annotation) },
      'Query.thing(key:): what is required cannot be deprecated',
    ],
    [
      'a required input field deprecated',
      { input: deprecated(annotation) },
      'In.text: what is required cannot be deprecated',
    ],
    ['two stabilities', { field: [beta(), experimental()] }, 'Query.thing: it can be one of experimental and beta'],
    ['two deprecations', { field: [deprecated(annotation), deprecated(annotation)] }, 'each once'],
    ['no mark at all', { field: [] }, 'Query.thing: it can be'],
    [
      'a why that is no sentence',
      { field: deprecated({ ...annotation, why: 'old' }) },
      'Query.thing: why must be a sentence',
    ],
  ])('%s', (_, places, message) => {
    expect(() => build(places)).toThrow(message);
  });

  test('all of them at once', () => {
    const old = deprecated({ ...annotation, sunset: '2026-02-01' });
    expect(() => build({ field: old, part: old })).toThrow(
      /^Thing\.id: .*\nQuery\.thing: .*$|^Query\.thing: .*\nThing\.id: .*$/,
    );
  });

  test('a deprecation without a mark', () => {
    const builder = new SchemaBuilder({ plugins: ['lifecycle', 'input'] });
    builder.queryType({ fields: (t) => ({ old: t.int({ deprecationReason: 'Old.', resolve: () => 1 }) }) });
    expect(() => builder.toSchema()).toThrow('Query.old: declare its deprecation by lifecycle: deprecated({...})');
  });
});

describe('a mark that holds is taken', () => {
  test.each<[string, Places]>([
    ['180 days for what is stable', { field: deprecated(annotation) }],
    ['30 days for a beta', { field: [beta(), deprecated({ ...annotation, sunset: '2026-01-31' })] }],
    [
      'the same day for what is experimental',
      { field: [experimental(), deprecated({ ...annotation, sunset: '2026-01-01' })] },
    ],
    ['29 February of a leap year', { field: deprecated({ ...annotation, sunset: '2028-02-29' }) }],
    ['an argument that may be left out', { argument: deprecated(annotation) }],
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

describe('a route promises no more than what it selects', () => {
  const things = (places: Places) => compileRoutes(build(places), [thingRoute], '/lifecycle');

  test('a stable one cannot select an experimental field, nor can a beta', () => {
    expect(() => things({ part: experimental() })).toThrow(
      'getThing is stable, and so cannot select Thing.id, which is experimental.',
    );
    expect(() => things({ field: beta(), part: experimental() })).toThrow('getThing is beta');
  });

  test('an experimental one can', () => {
    expect(things({ field: experimental(), part: experimental() })).toHaveLength(1);
  });
});

describe('the successor of a route', () => {
  const compile = (args: Record<string, string>, routes = [thingRoute, otherRoute]) => {
    const field = deprecated({ ...annotation, successor: { coordinate: 'Query.other', args } });
    return compileRoutes(build({ field }), routes, '/lifecycle');
  };

  test('is a route', () => {
    expect(() => compile({}, [thingRoute])).toThrow('getThing: its successor Query.other has no route.');
  });

  test('has all that its path needs', () => {
    expect(() => compile({})).toThrow('getThing: no argument goes into ref of its successor Query.other.');
  });

  test('is told with the values that the request has, and with nothing that could end a header', () => {
    const [thing] = compile({ ref: 'id' });
    expect(thing?.lifecycle.successor?.operation).toBe('GET /v2/{id}/thing');
    const linkFor = (inPath: object) => {
      const address = (path: string) => `https://x.example${path}`;
      return fieldOf(thing?.lifecycle.headersFor({ inPath: { ...inPath }, address }) ?? [], 'link');
    };
    const first = (inPath: object) => linkFor(inPath)?.split(';', 1)[0];
    expect(first({ id: 7 })).toBe('<https://x.example/v2/7/thing>');
    expect(first({ id: '7>; rel="next"' })).toBe('<https://x.example/v2/7%3E%3B%20rel%3D%22next%22/thing>');
    expect(first({})).toBe('<https://x.example/v2/%7Bid%7D/thing>');
  });
});
