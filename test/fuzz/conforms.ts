import {
  type DirectiveNode,
  type DocumentNode,
  type FieldNode,
  type FragmentDefinitionNode,
  GraphQLBoolean,
  type GraphQLLeafType,
  type GraphQLObjectType,
  type GraphQLOutputType,
  type GraphQLSchema,
  getOperationAST,
  getVariableValues,
  isEnumType,
  isLeafType,
  isListType,
  isNonNullType,
  isObjectType,
  Kind,
  parse,
  SchemaMetaFieldDef,
  type SelectionSetNode,
  TypeMetaFieldDef,
  TypeNameMetaFieldDef,
  valueFromAST,
} from 'graphql';
import { isDate } from '../../src/engine/date.ts';
import { toInt64 } from '../../src/engine/int64.ts';
import { assertErrors, type ShownError } from './errors.ts';

type Variables = Readonly<Record<string, unknown>>;

/** The request of a response. */
interface Asked {
  readonly query: unknown;
  readonly variables: unknown;
  readonly operationName: unknown;
}

/** A result of a valid shape. */
export interface GraphQLAnswer {
  readonly data?: unknown;
  readonly errors?: readonly ShownError[];
  readonly extensions?: unknown;
}

/**
 * Checks a result against the schema and the document: it has exactly the selected keys in their order, null only where
 * the schema allows it, and values of the schema's types.
 *
 * @throws {Error} that says where it does not conform
 */
export function assertConforms(schema: GraphQLSchema, asked: Asked, answer: unknown): asserts answer is GraphQLAnswer {
  if (!isRecord(answer)) throw new Error('The response is not an object.');
  const { data, errors } = answer;
  const keys = Object.keys(answer).filter((key) => !['data', 'errors', 'extensions'].includes(key));
  if (keys.length > 0) throw new Error(`An answer has no ${keys.join()}.`);
  if (errors !== undefined) assertErrors(errors, data);
  if (!('data' in answer)) {
    if (errors === undefined) throw new Error('The response has neither data nor errors.');
    return;
  }
  if (data === null && errors === undefined) throw new Error('The data is null, and there is no error.');
  if (data !== null) assertData(schema, asked, data);
}

function assertData(schema: GraphQLSchema, { query, variables, operationName }: Asked, data: unknown): void {
  const document = parse(String(query));
  const operation = getOperationAST(document, typeof operationName === 'string' ? operationName : undefined);
  const root = operation && schema.getRootType(operation.operation);
  if (operation == null || root == null) throw new Error('There is data without an operation.');
  const given = getVariableValues(schema, operation.variableDefinitions ?? [], isRecord(variables) ? variables : {});
  if (given.errors !== undefined)
    throw new Error(`There is data in spite of the variables: ${given.errors[0]?.message}`);
  new Walk(schema, document, given.coerced).object(root, [operation.selectionSet], data, 'data');
}

class Walk {
  readonly #schema: GraphQLSchema;
  readonly #variables: Variables;
  readonly #fragments = new Map<string, FragmentDefinitionNode>();

  constructor(schema: GraphQLSchema, document: DocumentNode, variables: Variables) {
    this.#schema = schema;
    this.#variables = variables;
    for (const node of document.definitions) {
      if (node.kind === Kind.FRAGMENT_DEFINITION) this.#fragments.set(node.name.value, node);
    }
  }

  object(type: GraphQLObjectType, sets: readonly SelectionSetNode[], value: unknown, where: string): void {
    if (!isRecord(value)) throw new Error(`${where} is not an object of ${type}.`);
    const selected = new Map<string, FieldNode[]>();
    for (const set of sets) this.#collect(set, selected);
    const [wanted, keys] = [[...selected.keys()].join(), Object.keys(value).join()];
    if (wanted !== keys) throw new Error(`${where} has the keys ${keys}; ${wanted} are selected.`);
    for (const [key, nodes] of selected) {
      const name = nodes[0]?.name.value ?? '';
      if (name === '__typename' && value[key] !== type.name) throw new Error(`${where}.${key} is not ${type.name}.`);
      this.#value(this.#typeOf(type, name), nodes, value[key], `${where}.${key}`);
    }
  }

  #value(type: GraphQLOutputType, nodes: readonly FieldNode[], value: unknown, where: string): void {
    if (isNonNullType(type)) {
      if (value === null) throw new Error(`${where} is null, and is a ${type}.`);
      this.#value(type.ofType, nodes, value, where);
    } else if (value === null) {
      // The schema allows null.
    } else if (isListType(type)) {
      if (!Array.isArray(value)) throw new Error(`${where} is no list.`);
      for (const [at, one] of value.entries()) this.#value(type.ofType, nodes, one, `${where}.${at}`);
    } else if (isObjectType(type)) {
      const sets = nodes.flatMap(({ selectionSet }) => selectionSet ?? []);
      this.object(type, sets, value, where);
    } else if (!isLeafType(type) || !isLeaf(type, value)) throw new Error(`${where} is no ${type}.`);
  }

  /** All types are objects, so every fragment applies. */
  #collect({ selections }: SelectionSetNode, into: Map<string, FieldNode[]>): void {
    for (const node of selections) {
      if (!this.#isSelected(node.directives ?? [])) continue;
      if (node.kind === Kind.FIELD) {
        const key = (node.alias ?? node.name).value;
        into.set(key, [...(into.get(key) ?? []), node]);
      } else {
        const set = node.kind === Kind.INLINE_FRAGMENT ? node : this.#fragments.get(node.name.value);
        if (set !== undefined) this.#collect(set.selectionSet, into);
      }
    }
  }

  #isSelected(directives: readonly DirectiveNode[]): boolean {
    return directives.every(({ name, arguments: [condition] = [] }) => {
      const value = condition && valueFromAST(condition.value, GraphQLBoolean, this.#variables);
      return name.value === 'skip' ? value !== true : name.value !== 'include' || value === true;
    });
  }

  #typeOf(parent: GraphQLObjectType, name: string): GraphQLOutputType {
    const ofRoot = parent === this.#schema.getQueryType() ? [SchemaMetaFieldDef, TypeMetaFieldDef] : [];
    const meta = [TypeNameMetaFieldDef, ...ofRoot].find((field) => field.name === name);
    const field = meta ?? parent.getFields()[name];
    if (field === undefined) throw new Error(`${parent} has no field ${name}, and yet it is answered.`);
    return field.type;
  }
}

const IS_OF: Readonly<Record<string, (value: unknown) => boolean>> = {
  Int: (value) => Number.isInteger(value) && Math.abs(Number(value)) < 2 ** 31,
  Int64: (value) => (typeof value === 'number' || typeof value === 'bigint') && toInt64(value) === value,
  String: (value) => typeof value === 'string' && value.isWellFormed(),
  Boolean: (value) => typeof value === 'boolean',
  Date: (value) => typeof value === 'string' && isDate(value),
  DateTime: (value) => typeof value === 'string' && new Date(value).toISOString() === value,
};

function isLeaf(type: GraphQLLeafType, value: unknown): boolean {
  if (isEnumType(type)) return typeof value === 'string' && type.getValue(value) !== undefined;
  return IS_OF[type.name]?.(value) ?? false;
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
