import {
  type DocumentNode,
  type FieldNode,
  type GraphQLObjectType,
  type GraphQLOutputType,
  type GraphQLSchema,
  getNamedType,
  isAbstractType,
  isListType,
  isNonNullType,
  isObjectType,
  Kind,
  type OperationDefinitionNode,
  type SelectionSetNode,
} from 'graphql';
import { conditionsOf } from './conditions.ts';
import { fragmentsOf } from './fragments.ts';

/** The maximum total length of the paths of all places, in characters. */
const MAX_PATH_CHARACTERS = 100_000;

/** A place in the response: all fields with one path. */
interface Place {
  readonly within: Map<string, Place>;
  /** Its path as graphql-jit joins it: from the key to the root, with an index for each list in between. */
  readonly name: string;
  readonly lists: number;
  /** The `@skip` and `@include` conditions of this place, without those of the places around it. */
  readonly conditions: string;
}

const NO_DEFAULTS = new Map<string, unknown>();

/**
 * Whether graphql-jit would return a wrong value anywhere in the response. Expands the operation's fragments, so the
 * document must be valid and within the limits.
 */
export function hasPlacesBeyondCompiler(
  schema: GraphQLSchema,
  document: DocumentNode,
  operation: OperationDefinitionNode,
): boolean {
  const root = schema.getRootType(operation.operation);
  if (root == null) return true;
  const isOfSeveral = document.definitions.filter(({ kind }) => kind === Kind.OPERATION_DEFINITION).length > 1;
  const fragments = fragmentsOf(document);
  const names = new Set<string>();
  const resolvers = new Map<string, GraphQLObjectType>();
  const conditionsOfNodes = new Map<FieldNode, string>();
  let characters = 0;
  return isBeyond(root, operation.selectionSet, { within: new Map(), name: '', lists: 0, conditions: '' }, '');

  /** @param around the conditions of the fragments that contain the selections, within this place */
  function isBeyond(type: GraphQLObjectType, set: SelectionSetNode, place: Place, around: string): boolean {
    return set.selections.some((node) => {
      const own = conditionsOf(node, NO_DEFAULTS).map(({ text }) => `${text} `);
      // graphql-jit stores conditions on the fields of fragments, so those of one operation would apply to the others.
      if (isOfSeveral && own.length > 0) return true;
      const conditions = around + own.join('');
      if (node.kind === Kind.FIELD) return isFieldBeyond(type, node, place, conditions);
      const fragment = node.kind === Kind.INLINE_FRAGMENT ? node : fragments.get(node.name.value);
      return fragment !== undefined && isBeyond(type, fragment.selectionSet, place, conditions);
    });
  }

  function isFieldBeyond(type: GraphQLObjectType, node: FieldNode, around: Place, conditions: string): boolean {
    const key = (node.alias ?? node.name).value;
    const name = node.name.value;
    if (key === '__proto__' || name === '__schema' || name === '__type') return true;
    if ((conditionsOfNodes.get(node) ?? conditions) !== conditions) return true;
    conditionsOfNodes.set(node, conditions);
    const known = around.within.get(key);
    if (known !== undefined && known.conditions + conditions !== '') return true;
    const resolver = type.name + name;
    if ((resolvers.get(resolver) ?? type) !== type) return true;
    resolvers.set(resolver, type);
    const field = type.getFields()[name];
    const place = known ?? newPlace(key, field?.type, around, conditions);
    if (place === undefined) return true;
    if (field === undefined || node.selectionSet === undefined) return false;
    const answered = getNamedType(field.type);
    if (isAbstractType(answered)) return true;
    return isObjectType(answered) && (answered.isTypeOf != null || isBeyond(answered, node.selectionSet, place, ''));
  }

  /** Undefined if another place has the same name, or if the names are too long. */
  function newPlace(
    key: string,
    type: GraphQLOutputType | undefined,
    around: Place,
    conditions: string,
  ): Place | undefined {
    const own = `${key}_${around.name}`;
    characters += own.length;
    if (characters > MAX_PATH_CHARACTERS || names.has(own)) return undefined;
    names.add(own);
    const [name, lists] = type === undefined ? [own, around.lists] : inLists(own, type, around.lists);
    const place = { within: new Map<string, Place>(), name, lists, conditions };
    around.within.set(key, place);
    return place;
  }
}

function inLists(name: string, type: GraphQLOutputType, lists: number): [name: string, lists: number] {
  if (isNonNullType(type)) return inLists(name, type.ofType, lists);
  return isListType(type) ? inLists(`idx${lists}_${name}`, type.ofType, lists + 1) : [name, lists];
}
