import { RULES } from './openapi-rules.ts';

/** An object or a list of an OpenAPI document. */
export type Json = Readonly<Record<string, unknown>>;

const OF_PLACES = ['description', 'title', 'example', 'default', 'nullable', 'deprecated'];
const STRUCTURE = ['component', 'properties', 'items', 'enum', 'x-enum-marks', 'anyOf', 'oneOf'];

/** @throws {Error} when the value is something else */
export function toObject(value: unknown, name: string): Json {
  if (typeof value === 'object' && value !== null) return value as Json;
  throw new Error(`${name} must be an object.`);
}

/** The objects in an object or a list; none where that is absent. */
export function objectsIn(value: unknown, name: string): [key: string, object: Json][] {
  return Object.entries(toObject(value ?? {}, name)).map(([key, one]) => [key, toObject(one, `${name}, ${key},`)]);
}

/** What a reference points to; anything else as it is. */
export function follow(json: Json, document: Json): Json {
  if (json.$ref === undefined) return json;
  const [, ...names] = String(json.$ref).split('/');
  return names.reduce((parent, name) => toObject(parent[name], `What ${json.$ref} points to`), document);
}

/** A schema without references and `allOf`, and the component that it is. Throws for a keyword that isn't compared. */
export function resolve({ $ref, allOf, ...own }: Json, document: Json): Json {
  if ($ref !== undefined) {
    return { ...resolve(follow({ $ref }, document), document), component: String($ref).split('/').at(-1) };
  }
  const ofValues = Object.keys(own).filter((keyword) => !isOfPlace(keyword));
  const unknown = ofValues.find((keyword) => !(keyword in RULES) && !STRUCTURE.includes(keyword));
  if (unknown !== undefined) throw new Error(`The comparison of schemas does not understand the keyword ${unknown}.`);
  const parts = objectsIn(allOf, 'allOf').map(([, part]) => resolve(part, document));
  const all = [...parts, own];
  return {
    ...Object.fromEntries(all.flatMap((part) => Object.entries(part))),
    required: all.flatMap(({ required = [] }) => required),
    properties: Object.fromEntries(all.flatMap(({ properties }) => objectsIn(properties, 'properties'))),
    component: parts.length === 1 && ofValues.length === 0 ? parts[0]?.component : undefined,
  };
}

/** Whether the keyword of a schema describes the place where it is used, rather than the values. */
export function isOfPlace(keyword: string): boolean {
  return OF_PLACES.includes(keyword) || (keyword.startsWith('x-') && !STRUCTURE.includes(keyword));
}
