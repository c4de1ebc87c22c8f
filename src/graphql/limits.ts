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
/** How many aliases and how many directives it may have, when its fragments are written out. */
const MOST_ALIASES = 200;
const MOST_DIRECTIVES = 200;
/** How deep fields may lie within fields; the introspection of the usual tools is 13 deep. */
const MOST_DEPTH = 30;

/** How large an operation is, whatever its variables are, and what is left to be asked for each of them. */
export interface OperationSize {
  /** How many fields it has when its fragments are written out. */
  readonly fields: number;
  /** How many fields of the root it has, when its fragments are written out. */
  readonly roots: number;
  /** How many rows it may ask for with these variables; throws INVALID_ARGUMENT when they are too many. */
  rowsFor(variables: Variables): number;
}

type Variables = Readonly<Record<string, unknown>>;
/** A number that is known, or is by the variables. */
type Amount = number | ((variables: Variables) => number);

/**
 * Measures an operation, once for its document.
 *
 * @throws {ServiceError} INVALID_ARGUMENT that names the limit, when it has too many fields, aliases or directives, or is
 *   too deep
 */
export function measureOperation(
  schema: GraphQLSchema,
  document: DocumentNode,
  operationName: string | undefined,
): OperationSize {
  const operation = getOperationAST(document, operationName);
  const root = operation && schema.getRootType(operation.operation);
  if (operation == null || root == null) return { fields: 0, roots: 0, rowsFor: () => 0 };
  const defaults = integerDefaults(operation);
  const fragments = new Map<string, FragmentDefinitionNode>();
  for (const node of document.definitions) {
    if (node.kind === Kind.FRAGMENT_DEFINITION) fragments.set(node.name.value, node);
  }
  let [fields, roots, aliases, directives] = [0, 0, 0, 0];
  countDirectives(operation);
  operation.variableDefinitions?.forEach(countDirectives);
  const rows = rowsOf(root, operation.selectionSet, 1);
  const atMost = (asked: number) => {
    if (asked <= MOST_ROWS) return asked;
    throw tooMuch(
      `The operation asks for up to ${asked} rows at once; ${MOST_ROWS} is the most. Ask for smaller pages.`,
    );
  };
  return {
    fields,
    roots,
    rowsFor: (variables) => atMost(typeof rows === 'number' ? rows : rows({ ...defaults, ...variables })),
  };

  // Introspection's own fields are of no type of the schema; what is within them counts all the same.
  function rowsOf(type: GraphQLObjectType | undefined, { selections }: SelectionSetNode, depth: number): Amount {
    if (depth > MOST_DEPTH) throw tooMuch(`The operation is nested more than ${MOST_DEPTH} fields deep.`);
    return combine(
      selections.map((node) => {
        if (++fields > MOST_FIELDS) {
          throw tooMuch(`The operation has more than ${MOST_FIELDS} fields when its fragments are written out.`);
        }
        countDirectives(node);
        if (depth === 1 && node.kind === Kind.FIELD) roots++;
        if (node.kind === Kind.FIELD) return rowsOfField(type, node, depth);
        const set = node.kind === Kind.INLINE_FRAGMENT ? node : fragments.get(node.name.value);
        return set === undefined ? 0 : rowsOf(type, set.selectionSet, depth);
      }),
      (amounts) => amounts.reduce((sum, amount) => sum + amount, 0),
    );
  }

  function countDirectives({ directives: given = [] }: { readonly directives?: readonly unknown[] | undefined }): void {
    directives += given.length;
    if (directives > MOST_DIRECTIVES) throw tooMuch(`The operation has more than ${MOST_DIRECTIVES} directives.`);
  }

  function rowsOfField(parent: GraphQLObjectType | undefined, node: FieldNode, depth: number): Amount {
    if (node.alias !== undefined && ++aliases > MOST_ALIASES) {
      throw tooMuch(`The operation has more than ${MOST_ALIASES} aliases.`);
    }
    if (node.selectionSet === undefined) return 0;
    const named = getNamedType(parent?.getFields()[node.name.value]?.type);
    const type = isObjectType(named) ? named : undefined;
    const within = rowsOf(type, node.selectionSet, depth + 1);
    if (!type?.name.endsWith('Connection')) return within;
    return combine([pageSize(node), within], ([size = 0, each = 0]) => size * (1 + each));
  }
}

/** Whichever of `first` and `last` is the larger: only one may stand in the end, but null counts for none. */
function pageSize({ arguments: given = [] }: FieldNode): Amount {
  const sizes = given
    .filter(({ name }) => name.value === 'first' || name.value === 'last')
    .map(({ value }): Amount => {
      if (value.kind !== Kind.VARIABLE) return Number(value.kind === Kind.INT && value.value);
      const name = value.name.value;
      return (variables) => Number(variables[name]);
    });
  return combine(sizes, (amounts) => {
    const asked = amounts.filter((size) => size > 0);
    return asked.length === 0 ? DEFAULT_PAGE_SIZE : Math.max(...asked);
  });
}

/** What is made of several amounts: known at once where all of them are. */
function combine(amounts: readonly Amount[], make: (known: readonly number[]) => number): Amount {
  const resolve = (variables: Variables) =>
    make(amounts.map((amount) => (typeof amount === 'number' ? amount : amount(variables))));
  return amounts.every((amount) => typeof amount === 'number') ? resolve({}) : resolve;
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
