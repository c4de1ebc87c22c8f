import { isDeepStrictEqual } from 'node:util';
import {
  type GraphQLEnumType,
  type GraphQLInputField,
  type GraphQLInputObjectType,
  type GraphQLInputType,
  type GraphQLLeafType,
  type GraphQLOutputType,
  getNamedType,
  getNullableType,
  isEnumType,
  isInputObjectType,
  isLeafType,
  isListType,
  isNonNullType,
  isObjectType,
} from 'graphql';
import { type Annotatable, annotationsOf } from '../lifecycle/annotated.ts';
import type { SelectedField } from '../operation/selection.ts';
import { serializeEnumValue } from '../rest/parameters.ts';
import { isListOf, rootType } from '../rest/selection.ts';
import type { ResolvedOperation } from '../rest/variables.ts';
import { boundsOf, type InputPlace } from '../schema/input.ts';
import { annotationExtensions } from './extensions.ts';

/** A schema of OpenAPI 3.0.3, or a reference to one. */
export type JsonSchema = Readonly<Record<string, unknown>>;

/** Collects the named schemas and responses. */
export class Components {
  readonly schemas = new Map<string, JsonSchema>();
  readonly responses = new Map<string, JsonSchema>();
  readonly #examples: Readonly<Record<string, unknown>>;

  /** @param examples by the component's name */
  constructor(examples: Readonly<Record<string, unknown>>) {
    this.#examples = examples;
  }

  /** A reference to a component, which `make` creates at the first call. */
  refer(name: string, make: () => JsonSchema): JsonSchema {
    if (!this.schemas.has(name)) {
      this.schemas.set(name, {});
      const example = this.#examples[name];
      this.schemas.set(name, { ...make(), ...(example !== undefined && { example }) });
    }
    return { $ref: `#/components/schemas/${name}` };
  }

  /**
   * A reference to a shared response.
   *
   * @throws {Error} if a different response has that name
   */
  respond({ name, response }: { readonly name: string; readonly response: JsonSchema }): JsonSchema {
    const before = this.responses.get(name) ?? response;
    if (!isDeepStrictEqual(before, response)) throw new Error(`OpenAPI has two responses with the name ${name}.`);
    this.responses.set(name, before);
    return { $ref: `#/components/responses/${name}` };
  }
}

/** Fields beside the row's fragment that are not in the body: the entity tag and the status show them. */
const NOT_IN_THE_ROW: ReadonlySet<string> = new Set(['version', 'began']);

/** The schema of a root field's value: a scalar, or the component with the name of the row's fragment. */
export function rowSchema(
  operation: ResolvedOperation,
  optional: readonly string[],
  components: Components,
): JsonSchema {
  const type = rootType(operation);
  if (isLeafType(type)) return outputSchema(operation.field.type, components);
  return objectSchema(type.description, operation.selected.within, optional, components);
}

/**
 * The schema of a list, or of a connection's nodes: an array component.
 *
 * @param plural the component's name
 * @throws {Error} if a connection's nodes are not selected
 */
export function listSchema(
  operation: ResolvedOperation,
  plural: string,
  optional: readonly string[],
  components: Components,
) {
  const root = rootType(operation);
  const fields = operation.selected.within;
  if (isListOf(operation.field)) {
    return components.refer(plural, () => ({
      type: 'array',
      description: 'The whole list.',
      items: isLeafType(root)
        ? leafSchema(root, components)
        : objectSchema(root.description, fields, optional, components),
    }));
  }
  const nodes = fields.find(({ field }) => field.name === 'nodes');
  const rows = getNamedType(nodes?.field.type);
  if (nodes === undefined || !isObjectType(rows)) throw new Error('It must select nodes, the rows of its page.');
  const first = operation.field.args.find(({ name }) => name === 'first');
  return components.refer(plural, () => ({
    type: 'array',
    maxItems: first && boundsOf(first)?.jsonSchema.maximum,
    description: root.description ?? plural,
    items: objectSchema(rows.description, nodes.within, optional, components),
  }));
}

function objectSchema(
  description: string | null | undefined,
  fields: readonly SelectedField[],
  optional: readonly string[],
  components: Components,
): JsonSchema {
  const ofFragment = fields.filter(({ fragment }) => fragment !== undefined);
  const name = ofFragment[0]?.fragment;
  if (name === undefined) throw new Error('A row must be selected by a fragment, which names its component.');
  const beside = fields.find(({ field, fragment }) => fragment !== name && !NOT_IN_THE_ROW.has(field.name));
  if (beside !== undefined)
    throw new Error(`${beside.field.name} must be in the fragment ${name}, which describes the row.`);
  return components.refer(name, () => {
    const required = ofFragment
      .filter(({ field }) => isNonNullType(field.type) && !optional.includes(field.name))
      .map(({ field }) => field.name);
    return {
      type: 'object',
      ...(description != null && { description }),
      ...(required.length > 0 && { required }),
      properties: Object.fromEntries(
        ofFragment.map(({ field }) => [field.name, described(outputSchema(field.type, components), field)]),
      ),
    };
  });
}

function outputSchema(type: GraphQLOutputType, components: Components): JsonSchema {
  const nullable = getNullableType(type);
  if (isListType(nullable)) return { type: 'array', items: outputSchema(nullable.ofType, components) };
  if (isLeafType(nullable)) return leafSchema(nullable, components);
  throw new Error(`A row on REST has scalars and enums, and lists of them; ${nullable.name} is neither.`);
}

/** The schema of a body. */
export function inputSchema(type: GraphQLInputType, components: Components): JsonSchema {
  const nullable = getNullableType(type);
  if (isListType(nullable)) return { type: 'array', items: inputSchema(nullable.ofType, components) };
  if (isInputObjectType(nullable))
    return components.refer(nullable.name, () => inputObjectSchema(nullable, components));
  return leafSchema(nullable, components);
}

function inputObjectSchema(type: GraphQLInputObjectType, components: Components): JsonSchema {
  const fields = Object.values(type.getFields());
  const required = fields.filter((field) => isNonNullType(field.type)).map(({ name }) => name);
  return {
    type: 'object',
    ...(type.description != null && { description: type.description }),
    ...(required.length > 0 && { required }),
    properties: Object.fromEntries(
      fields.map((field) => [
        field.name,
        described(placeSchema(withoutDefault(field), components), withDefaultDescribed(field)),
      ]),
    ),
    additionalProperties: false,
  };
}

/** Without the default, because type generators treat a body field with a default as required. */
function withoutDefault(field: GraphQLInputField): InputPlace {
  return { type: field.type, extensions: field.extensions, defaultValue: undefined };
}

/** The description states the default instead. */
function withDefaultDescribed(field: GraphQLInputField): Described {
  const { name, description, defaultValue, extensions } = field;
  const full = defaultValue === undefined ? description : `${description} Default: \`${defaultValue}\`.`;
  return { name, description: full, extensions };
}

/** The schema of a field or argument: its type, bounds and default. */
export function placeSchema(place: InputPlace, components: Components): JsonSchema {
  const { type, defaultValue, extensions } = place;
  const own = {
    ...boundsOf(place)?.jsonSchema,
    ...(defaultValue !== undefined && { default: defaultValue }),
    ...(extensions.rejectsNull === false && { nullable: true }),
  };
  const schema = inputSchema(type, components);
  if (Object.keys(own).length === 0) return schema;
  return '$ref' in schema ? { allOf: [schema], ...own } : { ...schema, ...own };
}

/** The schema of a scalar or enum. An enum that REST serializes differently is no component, but inline. */
export function leafSchema(type: GraphQLLeafType, components: Components): JsonSchema {
  if (isEnumType(type)) {
    const names = type.getValues().map(({ name }) => name);
    const schema = { type: 'string', enum: names.map(serializeEnumValue), ...valueAnnotations(type) };
    if (names.some((name) => serializeEnumValue(name) !== name)) return schema;
    return components.refer(type.name, () => ({ ...schema, description: type.description ?? type.name }));
  }
  const schema = LEAVES[type.name];
  if (schema === undefined) throw new Error(`OpenAPI has no schema for the scalar ${type.name}.`);
  return schema;
}

/** An extension, because OpenAPI 3.0 cannot describe a single enum value. */
function valueAnnotations(type: GraphQLEnumType): JsonSchema {
  const annotated = type.getValues().flatMap((value) => {
    const annotations = annotationsOf(value);
    return annotations === undefined
      ? []
      : [[serializeEnumValue(value.name), annotationExtensions(annotations)] as const];
  });
  return annotated.length === 0 ? {} : { 'x-enum-marks': Object.fromEntries(annotated) };
}

const LEAVES: Readonly<Record<string, JsonSchema>> = {
  Int64: { type: 'integer', format: 'int64' },
  Int: { type: 'integer', format: 'int32' },
  Float: { type: 'number', format: 'double' },
  ID: { type: 'string' },
  Date: { type: 'string', format: 'date' },
  DateTime: { type: 'string', format: 'date-time' },
  String: { type: 'string' },
  Boolean: { type: 'boolean' },
};

type Described = Annotatable & { readonly name: string; readonly description?: string | null | undefined };

/** The schema with the field's description and annotations. OpenAPI 3.0 ignores siblings of a reference, so `allOf`. */
function described(schema: JsonSchema, field: Described) {
  const annotations = annotationsOf(field);
  const own = { description: field.description ?? field.name, ...(annotations && annotationExtensions(annotations)) };
  return '$ref' in schema ? { allOf: [schema], ...own } : { ...schema, ...own };
}
