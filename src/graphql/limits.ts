import {
  type DocumentNode,
  type FieldNode,
  type FragmentDefinitionNode,
  type GraphQLObjectType,
  type GraphQLSchema,
  getNamedType,
  getOperationAST,
  isObjectType,
  Kind,
  type OperationDefinitionNode,
  type SelectionSetNode,
} from 'graphql';
import { DEFAULT_PAGE_SIZE } from '../db/paging.ts';
import { ServiceError } from '../errors.ts';

/** How many tokens a document may have. */
export const MOST_TOKENS = 5_000;
/** How many rows of lists an operation may ask for: the sizes of lists within lists multiply. */
const MOST_ROWS = 20_000;
/** How many fields an operation may have when its fragments are written out. */
const MOST_FIELDS = 5_000;
/** How deep fields may lie within fields; the introspection of the usual tools is 13 deep. */
const MOST_DEPTH = 30;

/**
 * Refuses an operation that asks for more rows, fields or depth than is answered at once, before anything is read.
 *
 * @returns how many fields it has when its fragments are written out
 * @throws {ServiceError} INVALID_ARGUMENT that names the limit
 */
export function assertWithinLimits(
  schema: GraphQLSchema,
  document: DocumentNode,
  operationName: string | undefined,
  variables: Readonly<Record<string, unknown>>,
): number {
  const operation = getOperationAST(document, operationName);
  const root = operation && schema.getRootType(operation.operation);
  if (operation == null || root == null) return 0;
  const values = { ...integerDefaults(operation), ...variables };
  const fragments = new Map<string, FragmentDefinitionNode>();
  for (const node of document.definitions) {
    if (node.kind === Kind.FRAGMENT_DEFINITION) fragments.set(node.name.value, node);
  }
  let fields = 0;
  const rows = rowsOf(root, operation.selectionSet, 1);
  if (rows > MOST_ROWS) {
    throw tooMuch(
      `The operation asks for up to ${rows} rows at once; ${MOST_ROWS} is the most. Ask for smaller pages.`,
    );
  }

  return fields;

  // Introspection's own fields are of no type of the schema; what is within them counts all the same.
  function rowsOf(type: GraphQLObjectType | undefined, { selections }: SelectionSetNode, depth: number): number {
    if (depth > MOST_DEPTH) throw tooMuch(`The operation is nested more than ${MOST_DEPTH} fields deep.`);
    let sum = 0;
    for (const node of selections) {
      if (++fields > MOST_FIELDS) {
        throw tooMuch(`The operation has more than ${MOST_FIELDS} fields when its fragments are written out.`);
      }
      if (node.kind === Kind.FIELD) {
        sum += rowsOfField(type, node, depth);
      } else {
        const set = node.kind === Kind.INLINE_FRAGMENT ? node : fragments.get(node.name.value);
        if (set !== undefined) sum += rowsOf(type, set.selectionSet, depth);
      }
    }
    return sum;
  }

  function rowsOfField(parent: GraphQLObjectType | undefined, node: FieldNode, depth: number): number {
    if (node.selectionSet === undefined) return 0;
    const named = getNamedType(parent?.getFields()[node.name.value]?.type);
    const type = isObjectType(named) ? named : undefined;
    const within = rowsOf(type, node.selectionSet, depth + 1);
    return type?.name.endsWith('Connection') ? pageSize(node, values) * (1 + within) : within;
  }
}

/** Whichever of `first` and `last` is the larger: only one may stand in the end, but null counts for none. */
function pageSize(node: FieldNode, values: Readonly<Record<string, unknown>>): number {
  const sizes = (node.arguments ?? [])
    .filter(({ name }) => name.value === 'first' || name.value === 'last')
    .map(({ value }) =>
      Number(value.kind === Kind.VARIABLE ? values[value.name.value] : value.kind === Kind.INT && value.value),
    );
  const given = sizes.filter((size) => size > 0);
  return given.length === 0 ? DEFAULT_PAGE_SIZE : Math.max(...given);
}

function integerDefaults({ variableDefinitions = [] }: OperationDefinitionNode): Record<string, unknown> {
  const defaults: Record<string, unknown> = {};
  for (const { variable, defaultValue } of variableDefinitions) {
    if (defaultValue?.kind === Kind.INT) defaults[variable.name.value] = defaultValue.value;
  }
  return defaults;
}

function tooMuch(message: string): ServiceError {
  return new ServiceError('INVALID_ARGUMENT', message);
}
