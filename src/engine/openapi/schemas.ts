import { transformInputValue } from '@graphql-tools/utils';
import {
  type GraphQLEnumType,
  type GraphQLInputField,
  type GraphQLInputObjectType,
  type GraphQLInputType,
  type GraphQLLeafType,
  type GraphQLObjectType,
  type GraphQLOutputType,
  getNamedType,
  getNullableType,
  isEnumType,
  isInputObjectType,
  isLeafType,
  isListType,
  isNonNullType,
  isObjectType,
  isUnionType,
} from 'graphql';
import { stringifyJson } from '../json.ts';
import { type Annotatable, annotationsOf } from '../lifecycle/annotated.ts';
import type { SelectedField } from '../operation/selection.ts';
import { restNameOf } from '../rest/parameters.ts';
import { rootType } from '../rest/result.ts';
import type { ResolvedOperation } from '../rest/variables.ts';
import type { InputElement } from '../schema/input.ts';
import { annotationExtensions } from './annotations.ts';
import type { Components, JsonSchema } from './components.ts';

/** Fields beside the row's fragment that are not in the body: the entity tag and the status show them. */
const NOT_IN_THE_ROW: ReadonlySet<string> = new Set(['version', 'began']);

/** The name of the component of the row, or of those on the page, that an operation returns or removes. */
export function rowName({ selected }: ResolvedOperation): string {
  const { field, within } = selected.within.find((one) => one.field.name === 'nodes') ?? selected;
  return within.find(({ fragment }) => fragment !== undefined)?.fragment ?? getNamedType(field.type).name;
}

/** The schema of a root field's value: a scalar, or the component with the name of the row's fragment. */
export function rowSchema(operation: ResolvedOperation, components: Components): JsonSchema {
  const type = rootType(operation);
  if (isLeafType(type)) return typeSchema(operation.selected.field.type, components);
  return objectSchema(type, operation.selected.within, components);
}

/** The array component of a list, or of a page's nodes, which its reply needs; throws if those are no objects. */
export function listSchema(operation: ResolvedOperation, plural: string, components: Components): JsonSchema {
  const root = rootType(operation);
  const { field, within } = operation.selected;
  const list = getNullableType(field.type);
  if (isListType(list)) {
    return components.refer(plural, `${field.type}`, () => ({
      type: 'array',
      description: 'The whole list.',
      items: isLeafType(root) ? typeSchema(list.ofType, components) : objectSchema(root, within, components),
    }));
  }
  const nodes = within.find((one) => one.field.name === 'nodes') as SelectedField;
  const rows = getNamedType(nodes.field.type);
  if (!isObjectType(rows))
    throw new Error(`The rows of its page must be of an object type, which ${rows.name} is not.`);
  const first = field.args.find(({ name }) => name === 'first');
  return components.refer(plural, `${field.type}`, () => ({
    type: 'array',
    maxItems: first?.extensions.bounds?.jsonSchema.maximum,
    description: root.description ?? plural,
    items: objectSchema(rows, nodes.within, components),
  }));
}

function objectSchema(type: GraphQLObjectType, selected: readonly SelectedField[], components: Components): JsonSchema {
  const ofFragment = selected.filter(({ fragment }) => fragment !== undefined);
  const name = ofFragment[0]?.fragment;
  if (name === undefined) throw new Error('A row must be selected by a fragment, which names its component.');
  const beside = selected.find(({ field, fragment }) => fragment !== name && !NOT_IN_THE_ROW.has(field.name));
  if (beside !== undefined)
    throw new Error(`${beside.field.name} must be in the fragment ${name}, which describes the row.`);
  const fields = ofFragment.map(({ field, within }) => ({ ...field, within }));
  return components.refer(name, type, () =>
    objectOf(type, fields, (one) => fieldSchema(one, components), components.text.optional[name]),
  );
}

/**
 * A union is one of the rows whose fragments are selected. Many clients take the first that fits, and one that requires
 * no field fits several: so those that require more come first.
 */
function fieldSchema(
  { type, within }: Pick<SelectedField, 'within'> & Pick<SelectedField['field'], 'type'>,
  components: Components,
): JsonSchema {
  const union = getNamedType(type);
  if (!isUnionType(union)) return typeSchema(type, components);
  const selectedOf = (member: GraphQLObjectType) => within.filter(({ parent }) => parent === member);
  return components.refer(union.name, union, () => {
    const rows = union.getTypes().map((member) => objectSchema(member, selectedOf(member), components));
    const anyOf = rows.toSorted((one, other) => components.requiredBy(other) - components.requiredBy(one));
    return { description: union.description ?? union.name, anyOf };
  });
}

function objectOf<Field extends Described & { readonly type: unknown }>(
  { description }: Pick<GraphQLObjectType, 'description'>,
  fields: readonly Field[],
  schemaOf: (field: Field) => JsonSchema,
  optional: readonly string[] = [],
): JsonSchema {
  const required = fields
    .filter(({ type, name }) => isNonNullType(type) && !optional.includes(name))
    .map(({ name }) => name);
  return {
    type: 'object',
    ...(description != null && { description }),
    ...(required.length > 0 && { required }),
    properties: Object.fromEntries(fields.map((field) => [field.name, described(schemaOf(field), field)])),
  };
}

/** @param bounds the keywords for its value, or for each item of a list */
export function typeSchema(
  type: GraphQLInputType | GraphQLOutputType,
  components: Components,
  bounds: JsonSchema = {},
): JsonSchema {
  const nullable = getNullableType(type);
  if (isListType(nullable)) return { type: 'array', items: typeSchema(nullable.ofType, components, bounds) };
  if (isLeafType(nullable)) return combined(leafSchema(nullable, components), bounds);
  if (isInputObjectType(nullable))
    return components.refer(nullable.name, nullable, () => inputObjectSchema(nullable, components));
  throw new Error(`A row on REST has scalars and enums, and lists of them; ${nullable.name} is neither.`);
}

/** Type generators treat a body field with a default as required, so its description has the default instead. */
function inputObjectSchema(type: GraphQLInputObjectType, components: Components): JsonSchema {
  const fields = Object.values(type.getFields()).map((field: GraphQLInputField) => {
    const { description, type, defaultValue } = field;
    const value = restValue(type, defaultValue);
    const text = typeof value === 'string' ? value : stringifyJson(value);
    const full = defaultValue === undefined ? description : `${description} Default: \`${text}\`.`;
    // A field that has a default need not be sent, even if it must not be null.
    const ofBody = defaultValue === undefined ? type : getNullableType(type);
    return { ...field, type: ofBody, defaultValue: undefined, description: full };
  });
  const schema = objectOf(type, fields, (field) => inputSchema(field, components));
  return { ...schema, additionalProperties: false, ...(type.isOneOf && { minProperties: 1, maxProperties: 1 }) };
}

export function inputSchema(element: InputElement, components: Components): JsonSchema {
  const { type, defaultValue, extensions } = element;
  return combined(typeSchema(type, components, extensions.bounds?.jsonSchema), {
    ...(defaultValue !== undefined && { default: restValue(type, defaultValue) }),
    ...(extensions.rejectsNull === false && { nullable: true }),
  });
}

/** A coerced value as it is in JSON: that of an enum has its name on REST. */
function restValue(type: GraphQLInputType, value: unknown): unknown {
  return transformInputValue(type, value, (leaf, given) => {
    const known = isEnumType(leaf) ? leaf.getValues().find((one) => one.value === given) : undefined;
    return known === undefined ? leaf.serialize(given) : restNameOf(known);
  });
}

/** The schema of a scalar or enum. The order of a list is no component, but inline: only one parameter has it. */
export function leafSchema(type: GraphQLLeafType, components: Components): JsonSchema {
  if (isEnumType(type)) {
    const names = type.getValues().map(restNameOf);
    const schema = { type: 'string', enum: names, ...valueAnnotations(type) };
    if (names.some((name) => name.startsWith('-'))) return schema;
    return components.refer(type.name, type, () => ({ ...schema, description: type.description ?? type.name }));
  }
  const schema = BUILT_IN[type.name] ?? type.extensions.jsonSchema;
  if (schema === undefined)
    throw new Error(`OpenAPI has no schema for the scalar ${type.name}; its extensions need a jsonSchema.`);
  return schema as JsonSchema;
}

/** An extension, because OpenAPI 3.0 cannot describe a single enum value. */
function valueAnnotations(type: GraphQLEnumType): JsonSchema {
  const annotated = type.getValues().flatMap((value) => {
    const annotations = annotationsOf(value);
    return annotations === undefined ? [] : [[restNameOf(value), annotationExtensions(annotations)]];
  });
  return annotated.length === 0 ? {} : { 'x-enum-marks': Object.fromEntries(annotated) };
}

/** The schemas of GraphQL's own scalars; the others bring theirs. */
const BUILT_IN: Readonly<Record<string, JsonSchema>> = {
  Int: { type: 'integer', format: 'int32' },
  Float: { type: 'number', format: 'double' },
  ID: { type: 'string' },
  String: { type: 'string' },
  Boolean: { type: 'boolean' },
};

type Described = Annotatable & { readonly name: string; readonly description?: string | null | undefined };

function described(schema: JsonSchema, field: Described): JsonSchema {
  const description = field.description ?? field.name;
  return combined(schema, { description, ...annotationExtensions(annotationsOf(field)) });
}

/** The schema with more properties. OpenAPI 3.0 ignores siblings of a reference, so `allOf`. */
function combined(schema: JsonSchema, own: JsonSchema): JsonSchema {
  if (Object.keys(own).length === 0) return schema;
  return '$ref' in schema ? { allOf: [schema], ...own } : { ...schema, ...own };
}
