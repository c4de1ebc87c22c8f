import { followed, type OpenApiDocument, type SchemaObject } from './openapi-document.ts';

/** What a schema says, with its reference followed and the parts of its allOf laid together. */
export interface Shape extends SchemaObject {
  /** The component that it is. */
  readonly component?: string | undefined;
}

/** The greatest and least values; each tightens as it gets less or greater. */
export const UPPER_BOUNDS = ['maximum', 'maxLength', 'maxItems', 'maxProperties'] as const;
export const LOWER_BOUNDS = ['minimum', 'minLength', 'minItems', 'minProperties'] as const;
/** What any change of tightens, but its end. */
export const EXACT = ['pattern', 'multipleOf', 'exclusiveMinimum', 'exclusiveMaximum', 'uniqueItems'] as const;

/** They say something of the place where the schema stands, and not of the values. */
const OF_THE_PLACE = ['description', 'title', 'example', 'default', 'nullable', 'deprecated'];
const COMPARED = ['type', 'format', 'enum', 'required', 'properties', 'additionalProperties', 'items'];
const KNOWN: ReadonlySet<string> = new Set([
  ...['$ref', 'allOf', ...OF_THE_PLACE, ...COMPARED],
  ...[...UPPER_BOUNDS, ...LOWER_BOUNDS, ...EXACT],
]);

/**
 * The shape of a schema.
 *
 * @throws {Error} for a keyword that the comparison would have to understand and does not
 */
export function shapeOf(schema: SchemaObject, document: OpenApiDocument): Shape {
  const unknown = Object.keys(schema).find((keyword) => !KNOWN.has(keyword) && !keyword.startsWith('x-'));
  if (unknown !== undefined) throw new Error(`The comparison of schemas does not understand the keyword ${unknown}.`);
  const { $ref } = schema;
  if ($ref !== undefined) {
    const component = followed({ $ref }, document.components.schemas, 'schemas');
    return { ...shapeOf(component, document), component: $ref.slice($ref.lastIndexOf('/') + 1) };
  }
  const { allOf = [], ...own } = schema;
  const [first, ...more] = allOf.map((part) => shapeOf(part, document));
  if (first === undefined) return own;
  const says = Object.keys(own).some((keyword) => !OF_THE_PLACE.includes(keyword) && !keyword.startsWith('x-'));
  if (more.length === 0 && !says) return { ...first, ...own };
  return { ...[first, ...more, own].reduce(laidTogether), component: undefined };
}

/** What a value of an enum is called: as in GraphQL, if the enum is a component; otherwise after the place of the enum. */
export function valueName(place: string, component: string | undefined, value: unknown): string {
  return component === undefined ? `${place} ${value}` : `${component}.${value}`;
}

function laidTogether(one: Shape, other: Shape): Shape {
  return {
    ...one,
    ...other,
    required: [...(one.required ?? []), ...(other.required ?? [])],
    properties: { ...one.properties, ...other.properties },
  };
}
