import type { Element, Lifecycle } from './lifecycle.ts';
import { follow, isOfPlace, type Json, objectsIn, resolve, toObject } from './openapi-json.ts';

export interface OpenApiElement extends Element {
  readonly keyword: string;
  /** Identifies it among the others there, in both documents. */
  readonly key: string;
  readonly json: Json;
  readonly direction: 'request' | 'response';
  readonly children: () => readonly OpenApiElement[];
}

type Member = Pick<OpenApiElement, 'key' | 'coordinate' | 'json'>;

/**
 * The elements of an OpenAPI 3.0 document: operations, what they accept and what they answer, down to enum values.
 * Throws when the text is no JSON object, and by `children` when a child isn't as this service writes it.
 */
export function readOpenApi(text: string): OpenApiElement {
  const document = toObject(JSON.parse(text), 'openapi.json');
  /** The elements under each keyword of an element. */
  const members: Readonly<Record<string, (value: Json, parent: Member) => readonly Member[]>> = {
    paths: (paths) =>
      objectsIn(paths, 'paths').flatMap(([path, item]) =>
        objectsIn(item, path).map(([method, operation]) => {
          const coordinate = `${method.toUpperCase()} ${path}`;
          return { key: withoutNames(coordinate), coordinate, json: { security: document.security, ...operation } };
        }),
      ),
    parameters: (parameters, { coordinate }) =>
      objectsIn(parameters, 'parameters').map(([, one]) => {
        const json = withPlace(follow(one, document));
        const { in: place, name } = json;
        const key = place === 'path' ? withoutNames(coordinate.split(`{${name}}`, 1)[0]) : name;
        return { key: `${place} ${key}`, coordinate: `${coordinate} (${place} ${name})`, json };
      }),
    requestBody: (json, { coordinate }) => [{ key: '', coordinate: `${coordinate} (body)`, json }],
    responses: (responses, { coordinate }) => named(responses, (status) => `${coordinate} (${status})`),
    headers: (headers, { coordinate }) =>
      named(headers, (name) => `${coordinate.replace(/ \(\w+\)$/, '')} (header ${name} of answers)`),
    content: (content, { coordinate }) => named(content, () => coordinate),
    schema: (schema, { coordinate }) => {
      const json = Object.fromEntries(Object.entries(resolve(schema, document)).filter(([name]) => !isOfPlace(name)));
      return [{ key: '', coordinate: String(json.component ?? coordinate), json }];
    },
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
    values: (values, { coordinate }) =>
      named(values, (value) => `${coordinate}${/\W/.test(coordinate) ? ' ' : '.'}${value}`),
  };
  return elementOf({ keyword: '', key: '', json: document, coordinate: 'the API', direction: 'request' });

  function elementOf(element: Omit<OpenApiElement, 'children'>): OpenApiElement {
    const { json, coordinate } = element;
    const children = () =>
      Object.entries(members).flatMap(([keyword, membersOf]) => {
        if (json[keyword] === undefined) return [];
        const direction = keyword === 'responses' ? 'response' : element.direction;
        const value = toObject(json[keyword], `${keyword} of ${coordinate}`);
        return membersOf(value, element).map((member) => elementOf({ ...member, keyword, direction }));
      });
    return { ...element, annotation: annotationOf(json), isType: json.component !== undefined, children };
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
