import type { Element, Lifecycle } from './lifecycle.ts';
import { follow, isOfPlace, type Json, objectsIn, resolve, toObject } from './openapi-json.ts';

export interface OpenApiElement extends Element {
  readonly keyword: string;
  /** Identifies it among its siblings, in both documents. */
  readonly key: string;
  readonly json: Json;
  readonly direction: 'request' | 'response';
  readonly children: () => readonly OpenApiElement[];
}

export interface OpenApiDocument extends OpenApiElement {
  /** The schema of a component, as part of responses. */
  readonly component: (name: string) => OpenApiElement | undefined;
}

type Member = Pick<OpenApiElement, 'key' | 'coordinate' | 'json'>;

/**
 * The elements of an OpenAPI 3.0 document: operations, what they accept and what they return, down to enum values; and
 * what no operation refers to, such as the problem details that a client may ask for. Throws when the text is no JSON
 * object, and by `children` when a child isn't as this service writes it.
 */
export function readOpenApi(text: string): OpenApiDocument {
  const document = toObject(JSON.parse(text), 'openapi.json');
  const { schemas = {}, securitySchemes = {} } = toObject(document.components ?? {}, 'components') as Record<
    string,
    Json
  >;
  /** The elements under each keyword of an element. */
  const members: Readonly<Record<string, (value: Json, parent: Member) => readonly Member[]>> = {
    paths: (paths) =>
      objectsIn(paths, 'paths').flatMap(([path, item]) =>
        objectsIn(item, path).map(([method, operation]) => {
          const coordinate = `${method.toUpperCase()} ${path}`;
          return { key: withoutNames(coordinate), coordinate, json: { security: document.security, ...operation } };
        }),
      ),
    components: () =>
      Object.keys(schemas)
        .filter((name) => !text.includes(JSON.stringify(referenceTo(name))))
        .map(componentOf),
    security: (alternatives) =>
      objectsIn(alternatives, 'security').flatMap(([, schemes]) =>
        Object.keys(schemes).map((name) => {
          const { description, bearerFormat, ...securityScheme } = toObject(securitySchemes[name] ?? {}, name);
          return { key: name, coordinate: `securitySchemes.${name}`, json: { securityScheme } };
        }),
      ),
    parameters: (parameters, { coordinate }) =>
      objectsIn(parameters, 'parameters').map(([, one]) => {
        const json = withPlace(follow(one, document));
        const { in: location, name } = json;
        const key = location === 'path' ? withoutNames(coordinate.split(`{${name}}`, 1)[0]) : name;
        return { key: `${location} ${key}`, coordinate: `${coordinate} (${location} ${name})`, json };
      }),
    requestBody: (json, { coordinate }) => [{ key: '', coordinate: `${coordinate} (body)`, json }],
    responses: (responses, { coordinate }) => named(responses, (status) => `${coordinate} (${status})`),
    headers: (headers, { coordinate }) =>
      named(headers, (name) => `${coordinate.replace(/ \(\w+\)$/, '')} (header ${name} of answers)`),
    content: (content, { coordinate }) => named(content, () => coordinate),
    schema: (schema, { coordinate }) => [schemaOf(schema, coordinate)],
    properties: (properties, { coordinate, json }) => {
      const required = Object.values(toObject(json.required, 'required'));
      return objectsIn(properties, 'properties').map(([name, schema]) => {
        return {
          key: name,
          coordinate: `${coordinate}.${name}`,
          json: withPlace({ required: required.includes(name), schema }),
        };
      });
    },
    items: (schema, { coordinate }) => [{ key: '', coordinate: `${coordinate}[]`, json: withPlace({ schema }) }],
    enum: (texts, { coordinate, json }) => {
      const annotations = new Map(objectsIn(json['x-enum-marks'], 'x-enum-marks'));
      const values = Object.values(texts).map((text) => [text, annotations.get(String(text)) ?? {}]);
      return [{ key: '', coordinate, json: { values: Object.fromEntries(values) } }];
    },
    anyOf: alternativesOf,
    oneOf: alternativesOf,
    values: (values, { coordinate }) =>
      named(values, (value) => `${coordinate}${/\W/.test(coordinate) ? ' ' : '.'}${value}`),
  };
  return {
    ...elementOf({ keyword: '', key: '', json: document, coordinate: 'the API', direction: 'request' }),
    component: (name) =>
      name in schemas ? elementOf({ ...componentOf(name), keyword: 'components', direction: 'response' }) : undefined,
  };

  function elementOf(element: Omit<OpenApiElement, 'children'>): OpenApiElement {
    const { json, coordinate } = element;
    const children = () =>
      Object.entries(members).flatMap(([keyword, membersOf]) => {
        if (json[keyword] === undefined) return [];
        const direction = keyword === 'responses' || keyword === 'components' ? 'response' : element.direction;
        const value = toObject(json[keyword], `${keyword} of ${coordinate}`);
        return membersOf(value, element).map((member) => elementOf({ ...member, keyword, direction }));
      });
    return { ...element, annotation: annotationOf(json), isType: json.component !== undefined, children };
  }

  function schemaOf(schema: Json, coordinate: string): Member {
    const json = Object.fromEntries(Object.entries(resolve(schema, document)).filter(([name]) => !isOfPlace(name)));
    return { key: '', coordinate: String(json.component ?? coordinate), json };
  }

  function componentOf(name: string): Member {
    return { ...schemaOf({ $ref: referenceTo(name) }, name), key: name };
  }

  /** Schemas are known by the names of their components, or else by where they stand. */
  function alternativesOf(schemas: Json, { coordinate }: Member): Member[] {
    const values = objectsIn(schemas, `alternatives of ${coordinate}`).map(([index, schema]) => {
      return [resolve(schema, document).component ?? index, { schema }];
    });
    return [{ key: '', coordinate, json: { values: Object.fromEntries(values) } }];
  }

  function named(value: Json, coordinateOf: (name: string) => string): Member[] {
    return objectsIn(value, 'members').map(([name, one]) => {
      return { key: name, coordinate: coordinateOf(name), json: withPlace({ name, ...follow(one, document) }) };
    });
  }

  /** A parameter, a property, a header or a media type, with what its schema says about it. */
  function withPlace(json: Json): Json {
    if (json.schema === undefined) return json;
    const schema = Object.entries(resolve(toObject(json.schema, 'schema'), document));
    return { nullable: false, ...Object.fromEntries(schema.filter(([name]) => isOfPlace(name))), ...json };
  }
}

function referenceTo(component: string): string {
  return `#/components/schemas/${component}`;
}

/** What a path parameter is called doesn't matter to clients. */
function withoutNames(path = ''): string {
  return path.replaceAll(/\{[^}]*\}/g, '{}');
}

function annotationOf(json: Json): Partial<Lifecycle> {
  const { 'x-stability': stability, deprecated, 'x-deprecated-since': since, 'x-deprecated-sunset': sunset } = json;
  const dayOf = (value: unknown) => (value === undefined ? undefined : String(value));
  return {
    ...((stability === 'beta' || stability === 'experimental') && { stability }),
    ...(deprecated === true && { deprecation: { since: dayOf(since), sunset: dayOf(sunset) } }),
  };
}
