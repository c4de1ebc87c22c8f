import { printSchemaWithDirectives } from '@graphql-tools/utils';
import {
  buildSchema,
  type DirectiveNode,
  type GraphQLSchema,
  getIntrospectionQuery,
  graphqlSync,
  Kind,
  parse,
  validateSchema,
  visit,
} from 'graphql';
import { describe, expect, test } from 'vitest';
import { describeEndpoints, endpointsOf } from '../../../src/engine/application.ts';
import { fieldOf } from '../../../src/engine/http/reply.ts';
import { type Annotated, annotatedIn } from '../../../src/engine/lifecycle/annotated.ts';
import { levelOf } from '../../../src/engine/lifecycle/annotation.ts';
import { openApiDocument } from '../../../src/engine/openapi/document.ts';
import { printGraphQL } from '../../../src/engine/pages/site.ts';
import { compileRoutes, type Endpoint } from '../../../src/engine/rest/compile.ts';
import { petStoreService } from '../../../src/petstore/service.ts';
import { bookRoutes, bookSchema } from '../../support/books.ts';

const { schema } = petStoreService;

/** What one description of the API says about an element's lifecycle. */
type Lifecycle = Readonly<Record<string, unknown>>;

const shopEndpoints = endpointsOf(petStoreService);
const bookEndpoints = compileRoutes(bookSchema, bookRoutes);
const bookDocument = openApiDocument(bookEndpoints, {
  title: 'Books',
  version: '1.0.0',
  description: 'Books.',
  basePath: '',
  tagGroups: { All: { Books: 'Books.' } },
  examples: {},
  plurals: { listBooks: 'Books', listReviews: 'Books', listDrafts: 'Books', listSeries: 'Books' },
  optional: {},
  headerExamples: { 'WWW-Authenticate': '', Location: '', Link: '', Warning: '' },
});

describe.each([
  ['the service', schema, printGraphQL(schema), shopEndpoints, describeEndpoints(petStoreService, shopEndpoints, '')],
  [
    'a schema with every kind of annotation',
    bookSchema,
    printSchemaWithDirectives(bookSchema),
    bookEndpoints,
    bookDocument,
  ],
] as const)(
  'every annotation of %s is in all of its descriptions, and they have no other',
  (_, built, text, endpoints, document) => {
    const annotated = annotatedIn(built);
    const declared = (describeOne: (one: Annotated) => Lifecycle) =>
      Object.fromEntries(annotated.map((one) => [one.coordinate, describeOne(one)]).toSorted());

    test('there are annotations of each level', () => {
      expect(new Set(annotated.map(({ annotations }) => levelOf(annotations)))).toEqual(
        new Set(['experimental', 'beta', 'deprecated']),
      );
    });

    test('the printed schema has @stability, @sunset and @deprecated, and defines them', () => {
      expect(validateSchema(buildSchema(text))).toEqual([]);
      expect(directivesIn(text)).toEqual(
        declared(({ annotations: { stability, deprecation } }) => ({
          ...(stability !== 'stable' && { stability: { level: stability.toUpperCase() } }),
          ...(deprecation && {
            sunset: { on: deprecation.sunset, since: deprecation.since, successor: deprecation.successor.coordinate },
            deprecated: {
              reason: `${deprecation.why} Use ${deprecation.successor.coordinate} instead. Served until ${deprecation.sunset}.`,
            },
          }),
        })),
      );
    });

    test('introspection has the stability in the description, and the sunset in the deprecation reason', () => {
      expect(introspected(built)).toEqual(
        declared(({ annotations: { stability, deprecation } }) => ({
          ...(stability !== 'stable' && { stability }),
          ...(deprecation && { sunset: deprecation.sunset, successor: deprecation.successor.coordinate }),
        })),
      );
    });

    test('the REST responses of operations have header fields', () => {
      const request = { pathValues: {}, address: (path: string) => `https://x.example${path}` };
      const actual = endpoints.map((endpoint) => {
        const headers = endpoint.lifecycle.headersFor(request);
        const [level, sunset] = ['api-stability', 'sunset'].map((name) => fieldOf(headers, name));
        return [endpoint.coordinate, { level, sunset: sunset?.slice(5, 16) }];
      });
      const expected = endpoints.map((endpoint) => {
        const annotations = annotated.find(({ coordinate }) => coordinate === endpoint.coordinate)?.annotations;
        const sunset = annotations?.deprecation && new Date(annotations.deprecation.sunset).toUTCString().slice(5, 16);
        return [endpoint.coordinate, { level: annotations && levelOf(annotations), sunset }];
      });
      expect(actual).toEqual(expected);
    });

    test('OpenAPI has every extension on operations, parameters, properties and enum values', () => {
      const onRest = new Set(coordinatesOnRest(endpoints, document));
      const expected = annotated
        .filter(({ coordinate }) => onRest.has(coordinate))
        .map(({ coordinate, annotations: { stability, deprecation } }) => [
          coordinate,
          {
            ...(stability !== 'stable' && {
              'x-stability': stability,
              'x-stability-level': stability === 'beta' ? 'beta' : 'alpha',
              'x-scalar-stability': 'experimental',
              'x-badges': [{ name: stability, color: expect.stringMatching(/^#/) }],
            }),
            ...(deprecation && {
              deprecated: true,
              'x-deprecated-since': deprecation.since,
              'x-deprecated-sunset': deprecation.sunset,
              'x-sunset': deprecation.sunset,
              'x-deprecated-reason': deprecation.why,
              'x-successor': expect.objectContaining({ coordinate: deprecation.successor.coordinate }),
            }),
          },
        ]);
      expect(annotatedInOpenApi(endpoints, document)).toEqual(Object.fromEntries(expected.toSorted()));
    });
  },
);

/** The applied lifecycle directives of a printed schema, by coordinate. */
function directivesIn(text: string): Record<string, Lifecycle> {
  const found: [string, Lifecycle][] = [];
  const note = (coordinate: string, directives: readonly DirectiveNode[] = []) => {
    const lifecycle = directives
      .filter(({ name }) => ['deprecated', 'stability', 'sunset'].includes(name.value))
      .map((directive) => [
        directive.name.value,
        Object.fromEntries(
          (directive.arguments ?? []).map(({ name, value }) => [name.value, 'value' in value && value.value]),
        ),
      ]);
    if (lifecycle.length > 0) found.push([coordinate, Object.fromEntries(lifecycle)]);
  };
  visit(parse(text), {
    [Kind.OBJECT_TYPE_DEFINITION]: ({ name: type, fields = [] }) => {
      for (const field of fields) {
        const coordinate = `${type.value}.${field.name.value}`;
        note(coordinate, field.directives);
        for (const arg of field.arguments ?? []) note(`${coordinate}(${arg.name.value}:)`, arg.directives);
      }
    },
    [Kind.INPUT_OBJECT_TYPE_DEFINITION]: ({ name: type, fields = [] }) => {
      for (const field of fields) note(`${type.value}.${field.name.value}`, field.directives);
    },
    [Kind.ENUM_TYPE_DEFINITION]: ({ name: type, values = [] }) => {
      for (const value of values) note(`${type.value}.${value.name.value}`, value.directives);
    },
  });
  return Object.fromEntries(found.toSorted());
}

interface Described {
  readonly name: string;
  readonly description: string | null;
  readonly deprecationReason?: string | null;
  readonly isDeprecated?: boolean;
  readonly args?: readonly Described[];
}

interface IntrospectedType {
  readonly name: string;
  readonly fields: readonly Described[] | null;
  readonly inputFields: readonly Described[] | null;
  readonly enumValues: readonly Described[] | null;
}

/** The lifecycle information in introspection, by coordinate. */
function introspected(built: GraphQLSchema): Record<string, Lifecycle> {
  const { data } = graphqlSync({ schema: built, source: getIntrospectionQuery({ inputValueDeprecation: true }) });
  const { types } = (data as unknown as { __schema: { types: IntrospectedType[] } }).__schema;
  const found: [string, Lifecycle][] = [];
  const note = (coordinate: string, { description, deprecationReason, isDeprecated = false }: Described) => {
    const [, stability] = /^\[(\w+)\] /.exec(description ?? '') ?? [];
    const [, successor, sunset] = /Use (.+) instead\. Served until (.+)\.$/.exec(deprecationReason ?? '') ?? [];
    expect(isDeprecated).toBe(deprecationReason != null);
    const lifecycle = { ...(stability && { stability }), ...(sunset && { sunset, successor }) };
    if (Object.keys(lifecycle).length > 0) found.push([coordinate, lifecycle]);
  };
  for (const { name, fields, inputFields, enumValues } of types) {
    for (const part of [...(fields ?? []), ...(inputFields ?? []), ...(enumValues ?? [])]) {
      note(`${name}.${part.name}`, part);
      for (const arg of part.args ?? []) note(`${name}.${part.name}(${arg.name}:)`, arg);
    }
  }
  return Object.fromEntries(found.toSorted());
}

/** Everything that an OpenAPI document describes, by the coordinate that it comes from. */
function describedInOpenApi(endpoints: readonly Endpoint[], document: object): [string, Lifecycle][] {
  const { paths, components } = document as {
    paths: Record<string, Record<string, Lifecycle & { parameters: Lifecycle[] }>>;
    components: {
      schemas: Record<
        string,
        Lifecycle & { properties?: Record<string, Lifecycle>; 'x-enum-marks'?: Record<string, Lifecycle> }
      >;
    };
  };
  const ofOperations = endpoints.flatMap((endpoint): [string, Lifecycle][] => {
    const { route, coordinate, pathVariables, queryVariables } = endpoint;
    const described = paths[route.path]?.[route.method.toLowerCase()];
    const parameters = [...pathVariables, ...queryVariables].map((variable): [string, Lifecycle] => [
      `${coordinate}(${variable.argument.name}:)`,
      described?.parameters.find(({ name }) => name === variable.name) ?? {},
    ]);
    return [[coordinate, described ?? {}], ...parameters];
  });
  const ofComponents = Object.entries(components.schemas).flatMap(([type, component]): [string, Lifecycle][] => [
    ...Object.entries(component.properties ?? {}).map(([name, property]): [string, Lifecycle] => [
      `${type}.${name}`,
      property,
    ]),
    ...((component.enum as string[] | undefined) ?? []).map((value): [string, Lifecycle] => [
      `${type}.${value}`,
      component['x-enum-marks']?.[value] ?? {},
    ]),
  ]);
  return [...ofOperations, ...ofComponents];
}

function coordinatesOnRest(endpoints: readonly Endpoint[], document: object): string[] {
  return describedInOpenApi(endpoints, document).map(([coordinate]) => coordinate);
}

const LIFECYCLE_EXTENSIONS =
  /^(deprecated|x-(stability|stability-level|scalar-stability|badges|deprecated-since|deprecated-sunset|deprecated-reason|sunset|successor))$/;

function annotatedInOpenApi(endpoints: readonly Endpoint[], document: object): Record<string, Lifecycle> {
  const all = describedInOpenApi(endpoints, document).map(([coordinate, described]): [string, Lifecycle] => [
    coordinate,
    Object.fromEntries(Object.entries(described).filter(([name]) => LIFECYCLE_EXTENSIONS.test(name))),
  ]);
  return Object.fromEntries(all.filter(([, extensions]) => Object.keys(extensions).length > 0).toSorted());
}
