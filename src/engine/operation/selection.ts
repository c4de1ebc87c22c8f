import {
  type DocumentNode,
  type FieldNode,
  type FragmentDefinitionNode,
  type GraphQLCompositeType,
  type GraphQLField,
  type GraphQLInterfaceType,
  type GraphQLObjectType,
  type GraphQLSchema,
  getNamedType,
  getOperationAST,
  isCompositeType,
  Kind,
  type OperationDefinitionNode,
  SchemaMetaFieldDef,
  type SelectionNode,
  type SelectionSetNode,
  TypeMetaFieldDef,
  TypeNameMetaFieldDef,
  type VariableDefinitionNode,
  valueFromASTUntyped,
} from 'graphql';
import { ServiceError } from '../errors.ts';
import { type Condition, conditionsOf } from './conditions.ts';

// The limits of an operation, with its fragments expanded.
const MAX_FIELDS = 5_000;
const MAX_ALIASES = 200;
const MAX_DIRECTIVES = 200;
/** The introspection query of common tools is 13 deep. */
const MAX_DEPTH = 30;

/** A field that an operation selects. A fragment's fields occur once for each spread. */
export interface SelectedField {
  readonly node: FieldNode;
  readonly parent: GraphQLCompositeType;
  readonly field: GraphQLField<unknown, unknown>;
  /** Its place in the response: the keys from the root. Fields with one path are merged. */
  readonly path: string;
  /** The conditions of `@skip` and `@include`, which all have to hold. */
  readonly conditions: readonly Condition[];
  /** The fragment that selects it, if any. */
  readonly fragment: string | undefined;
  readonly within: readonly SelectedField[];
}

export interface Selection {
  readonly schema: GraphQLSchema;
  readonly document: DocumentNode;
  readonly operation: OperationDefinitionNode;
  readonly variableDefinitions: readonly VariableDefinitionNode[];
  readonly roots: readonly SelectedField[];
  /** All of its fields, each before those within it. */
  readonly fields: readonly SelectedField[];
  /** Of fields and fragments. */
  readonly size: number;
  /** The defaults of the variables, as a client would send them. */
  readonly defaults: ReadonlyMap<string, unknown>;
}

/** Expands a valid document. Throws INVALID_ARGUMENT for too many fields, aliases or directives, or too deep ones. */
export function selectionOf(schema: GraphQLSchema, document: DocumentNode, name: string | undefined): Selection {
  const operation = getOperationAST(document, name) as OperationDefinitionNode;
  const { variableDefinitions = [] } = operation;
  const defaults = defaultsOf(variableDefinitions);
  const fragments = fragmentsOf(document);
  const fields: SelectedField[] = [];
  let [size, aliases, directives] = [0, 0, 0];
  countDirectives(operation);
  variableDefinitions.forEach(countDirectives);
  const root = schema.getRootType(operation.operation) as GraphQLObjectType;
  const roots = walk(root, operation.selectionSet, { path: '', conditions: [], depth: 1, fragment: undefined });
  return { schema, document, operation, variableDefinitions, roots, fields, size, defaults };

  function walk(type: GraphQLCompositeType, { selections }: SelectionSetNode, around: Around): SelectedField[] {
    if (around.depth > MAX_DEPTH) throw limitExceeded(`The operation is nested more than ${MAX_DEPTH} fields deep.`);
    return selections.flatMap((node) => {
      if (++size > MAX_FIELDS) {
        throw limitExceeded(`The operation has more than ${MAX_FIELDS} fields when its fragments are expanded.`);
      }
      countDirectives(node);
      const own = conditionsOf(node, defaults);
      // Shared if possible: an expanded selection can have thousands of fields.
      const conditions = own.length === 0 ? around.conditions : [...around.conditions, ...own];
      return node.kind === Kind.FIELD
        ? walkField(type, node, { ...around, conditions })
        : walkFragment(type, node, { ...around, conditions });
    });
  }

  function walkFragment(type: GraphQLCompositeType, node: Exclude<SelectionNode, FieldNode>, around: Around) {
    const fragment = node.kind === Kind.INLINE_FRAGMENT ? around.fragment : node.name.value;
    const { typeCondition: condition, selectionSet } =
      node.kind === Kind.INLINE_FRAGMENT ? node : (fragments.get(node.name.value) as FragmentDefinitionNode);
    const own = condition ? (schema.getType(condition.name.value) as GraphQLCompositeType) : type;
    return walk(own, selectionSet, { ...around, fragment });
  }

  function walkField(parent: GraphQLCompositeType, node: FieldNode, around: Around): SelectedField {
    if (node.alias !== undefined && ++aliases > MAX_ALIASES) {
      throw limitExceeded(`The operation has more than ${MAX_ALIASES} aliases.`);
    }
    const field = fieldOf(parent, node.name.value);
    const { conditions, fragment, depth } = around;
    const path = `${around.path}.${(node.alias ?? node.name).value}`;
    const within: SelectedField[] = [];
    const selected = { node, parent, field, path, conditions, fragment, within };
    fields.push(selected);
    const type = getNamedType(field.type);
    if (node.selectionSet !== undefined && isCompositeType(type)) {
      within.push(...walk(type, node.selectionSet, { path, conditions, depth: depth + 1, fragment: undefined }));
    }
    return selected;
  }

  function countDirectives({ directives: given = [] }: { readonly directives?: readonly unknown[] | undefined }): void {
    directives += given.length;
    if (directives > MAX_DIRECTIVES) throw limitExceeded(`The operation has more than ${MAX_DIRECTIVES} directives.`);
  }
}

interface Around {
  readonly path: string;
  readonly conditions: readonly Condition[];
  readonly depth: number;
  readonly fragment: string | undefined;
}

function defaultsOf(variables: readonly VariableDefinitionNode[]): ReadonlyMap<string, unknown> {
  return new Map(
    variables.flatMap(({ variable, defaultValue }) =>
      defaultValue === undefined ? [] : [[variable.name.value, valueFromASTUntyped(defaultValue)] as const],
    ),
  );
}

/** Also the introspection fields, which no type lists; a union has no others. */
function fieldOf(type: GraphQLCompositeType, name: string): GraphQLField<unknown, unknown> {
  if (name === TypeNameMetaFieldDef.name) return TypeNameMetaFieldDef;
  if (name === SchemaMetaFieldDef.name) return SchemaMetaFieldDef;
  if (name === TypeMetaFieldDef.name) return TypeMetaFieldDef;
  return (type as GraphQLObjectType | GraphQLInterfaceType).getFields()[name] as GraphQLField<unknown, unknown>;
}

/** The fragments of a document by name; the last if several have one name. */
export function fragmentsOf({ definitions }: DocumentNode): ReadonlyMap<string, FragmentDefinitionNode> {
  const fragments = definitions.filter((node) => node.kind === Kind.FRAGMENT_DEFINITION);
  return new Map(fragments.map((node) => [node.name.value, node]));
}

/** The last field with each key, and the alternatives of all of them; fields without a key are left out. */
export function alternativesBy<K>(fields: readonly SelectedField[], keyOf: (field: SelectedField) => K | undefined) {
  const all = new Map<
    K,
    { readonly field: SelectedField['field']; readonly alternatives: Set<readonly Condition[]> }
  >();
  for (const selected of fields) {
    const key = keyOf(selected);
    if (key === undefined) continue;
    const alternatives = all.get(key)?.alternatives ?? new Set();
    all.set(key, { field: selected.field, alternatives: alternatives.add(selected.conditions) });
  }
  return all;
}

/** The error of an operation beyond a limit. */
export function limitExceeded(message: string): ServiceError {
  return new ServiceError('INVALID_ARGUMENT', message);
}
