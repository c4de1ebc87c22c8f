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

/** The keywords under which elements stand, and the coordinates of these. */
const COORDINATES: Readonly<Record<string, (parent: string, key: string, json: Json) => string>> = {
  paths: (_, __, { name }) => String(name),
  parameters: (operation, _, { in: place, name }) => `${operation} (${place} ${name})`,
  requestBody: (operation) => `${operation} (body)`,
  responses: (operation, status) => `${operation} (${status})`,
  headers: (answer, name) => `${answer.replace(/ \(\w+\)$/, '')} (header ${name} of answers)`,
  content: (body) => body,
  schema: (place, _, { component }) => String(component ?? place),
  properties: (type, name) => `${type}.${name}`,
  items: (type) => `${type}[]`,
  enum: (type) => type,
  values: (type, value) => `${type}${/\W/.test(type) ? ' ' : '.'}${value}`,
};

/**
 * The elements of an OpenAPI 3.0 document: operations, what they accept and what they answer, down to enum values.
 * Throws when the text is no JSON object, and by `children` when a child isn't as this service writes it.
 */
export function readOpenApi(text: string): OpenApiElement {
  const document = toObject(JSON.parse(text), 'openapi.json');
  return elementOf({ keyword: '', key: '', json: document, coordinate: 'the API', direction: 'request' });

  function elementOf(element: Omit<OpenApiElement, 'children'>): OpenApiElement {
    const { json, coordinate } = element;
    const children = () =>
      Object.entries(COORDINATES).flatMap(([keyword, coordinateOf]) => {
        if (json[keyword] === undefined) return [];
        const members = membersOf(json, keyword, toObject(json[keyword], `${keyword} of ${coordinate}`));
        const direction = keyword === 'responses' ? 'response' : element.direction;
        return members.map(([key, member]) =>
          elementOf({ keyword, key, json: member, coordinate: coordinateOf(coordinate, key, member), direction }),
        );
      });
    return { ...element, annotation: annotationOf(json), isType: json.component !== undefined, children };
  }

  function membersOf(parent: Json, keyword: string, value: Json): (readonly [key: string, json: Json])[] {
    switch (keyword) {
      case 'paths':
        return objectsIn(value, keyword).flatMap(([path, item]) =>
          objectsIn(item, path).map(([method, operation]) => {
            const name = `${method.toUpperCase()} ${path}`;
            return [withoutNames(name), { security: document.security, ...operation, name }] as const;
          }),
        );
      case 'parameters':
        return objectsIn(value, keyword).map(([, one]) => {
          const parameter = follow(one, document);
          const { in: place, name } = parameter;
          const key = place === 'path' ? withoutNames(String(parent.name).split(`{${name}}`, 1)[0]) : name;
          return [`${place} ${key}`, withPlace(parameter)];
        });
      case 'properties': {
        const required = Object.values(toObject(parent.required, 'required'));
        const isRequired = (name: string) => required.includes(name);
        return objectsIn(value, keyword).map(([name, schema]) => [
          name,
          withPlace({ required: isRequired(name), schema }),
        ]);
      }
      case 'items':
        return [['', withPlace({ schema: value })]];
      case 'schema': {
        const type = Object.entries(resolve(value, document)).filter(([name]) => !isOfPlace(name));
        return [['', Object.fromEntries(type)]];
      }
      case 'enum': {
        const annotations = new Map(objectsIn(parent['x-enum-marks'], keyword));
        const values = Object.values(value).map(String);
        return [['', { values: Object.fromEntries(values.map((one) => [one, annotations.get(one) ?? {}])) }]];
      }
      case 'requestBody':
        return [['', value]];
      default:
        return objectsIn(value, keyword).map(([name, one]) => [name, withPlace({ name, ...follow(one, document) })]);
    }
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
  const isDeprecated = deprecated === true || sunset !== undefined;
  return {
    ...((stability === 'beta' || stability === 'experimental') && { stability }),
    ...(isDeprecated && { deprecation: { since: dayOf(since), sunset: dayOf(sunset) } }),
  };
}
