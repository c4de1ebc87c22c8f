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
  type SelectionSetNode,
} from 'graphql';
import { DEFAULT_PAGE_SIZE } from '../db/paging.ts';
import { ServiceError } from '../errors.ts';

/** How many tokens a document may have. */
export const MOST_TOKENS = 5_000;
/** How many rows of lists an operation may ask for: the sizes of lists within lists multiply. */
export const MOST_ROWS = 20_000;
/** How many fields an operation may have when its fragments are written out. */
export const MOST_FIELDS = 5_000;

/**
 * Refuses an operation that asks for more rows or fields than are answered at once, before anything is read.
 *
 * @throws {ServiceError} INVALID_ARGUMENT that names the limit
 */
export function assertWithinLimits(
  schema: GraphQLSchema,
  document: DocumentNode,
  operationName: string | undefined,
  variables: Readonly<Record<string, unknown>>,
): void {
  const operation = getOperationAST(document, operationName);
  const root = operation && schema.getRootType(operation.operation);
  if (operation == null || root == null) return;
  const fragments = new Map<string, FragmentDefinitionNode>();
  for (const node of document.definitions) {
    if (node.kind === Kind.FRAGMENT_DEFINITION) fragments.set(node.name.value, node);
  }
  let fields = 0;
  const rows = rowsOf(root, operation.selectionSet);
  if (rows > MOST_ROWS) {
    throw tooMuch(
      `The operation asks for up to ${rows} rows at once; ${MOST_ROWS} is the most. Ask for smaller pages.`,
    );
  }

  function rowsOf(type: GraphQLObjectType, { selections }: SelectionSetNode): number {
    let sum = 0;
    for (const node of selections) {
      if (++fields > MOST_FIELDS) {
        throw tooMuch(`The operation has more than ${MOST_FIELDS} fields when its fragments are written out.`);
      }
      if (node.kind === Kind.FIELD) {
        sum += rowsOfField(type, node);
      } else {
        const set = node.kind === Kind.INLINE_FRAGMENT ? node : fragments.get(node.name.value);
        if (set !== undefined) sum += rowsOf(type, set.selectionSet);
      }
    }
    return sum;
  }

  function rowsOfField(parent: GraphQLObjectType, node: FieldNode): number {
    const type = getNamedType(parent.getFields()[node.name.value]?.type);
    if (node.selectionSet === undefined || !isObjectType(type)) return 0;
    const within = rowsOf(type, node.selectionSet);
    return type.name.endsWith('Connection') ? pageSize(node, variables) * (1 + within) : within;
  }
}

function pageSize(node: FieldNode, variables: Readonly<Record<string, unknown>>): number {
  const argument = node.arguments?.find(({ name }) => name.value === 'first' || name.value === 'last');
  const value = argument?.value;
  const size = value?.kind === Kind.VARIABLE ? variables[value.name.value] : value?.kind === Kind.INT && value.value;
  return Number(size) || DEFAULT_PAGE_SIZE;
}

function tooMuch(message: string): ServiceError {
  return new ServiceError('INVALID_ARGUMENT', message);
}
