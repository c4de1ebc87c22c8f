import { hash } from 'node:crypto';
import {
  type DocumentNode,
  type FieldNode,
  type GraphQLSchema,
  getOperationAST,
  Kind,
  type OperationDefinitionNode,
  typeFromAST,
} from 'graphql';
import { LRUCache } from 'lru-cache';
import { scopesOf } from '../auth/scope.ts';
import type { Issue } from '../errors.ts';
import type { Marked } from '../lifecycle/marked.ts';
import { type UseFinder, useFinder } from '../lifecycle/uses.ts';
import { type ListCosts, listCosts, unitsOf } from '../limits/charge.ts';
import { type FaultFinder, faultFinder } from './arguments.ts';
import { compileOperation, interpretOperation, type Operation } from './compiled.ts';
import { countedLists } from './counts.ts';
import { type InputPlace, inputIssues, type Names } from './input.ts';
import { measureOperation } from './limits.ts';
import { neverNull } from './never-null.ts';
import { selectionsOf } from './selections.ts';

/** How many documents are known at once, and how many characters they have together. */
const MOST_DOCUMENTS = 1_000;
const MOST_CHARACTERS = 150_000;
/** How many texts are known that came once. */
const MOST_TEXTS = 5_000;
/** At which run an operation is compiled: that takes as long as compiling saves in some forty runs. */
export const COMPILED_AT = 10;
/** An operation with more fields than this takes longer to compile than it saves. */
const MOST_COMPILED = 300;
/** How many fields compiled operations have together; one takes 2 to 10 KB, and an operation as much as ten. */
const MOST_COMPILED_FIELDS = 2_000;
const FIELDS_OF_OPERATION = 10;

type Variables = Readonly<Record<string, unknown>>;
type CompiledOperations = LRUCache<object, Operation>;

/** What is worked out once for an operation of a document. */
export interface KnownOperation {
  /** The root field that it selects, or `several`: a label of few values. */
  readonly label: string;
  readonly isMutation: boolean;
  /** Whether it has several changes, each of which begins when the one before has ended. */
  readonly changesSeveral: boolean;
  /** What a caller must be allowed to do. */
  readonly scopes: readonly string[];
  /**
   * What it costs beyond a unit with these variables, and how long its answer may be, in bytes; throws INVALID_ARGUMENT when
   * it asks for too much.
   */
  cost(variables: Variables): { readonly units: number; readonly bytes: number };
  /** What it uses of what is marked; the same list each time for the same uses, where variables make no difference. */
  uses(variables: Variables): readonly Marked[];
  /** Everything that is wrong with the variables. */
  issues(variables: Variables): readonly Issue[];
  /** What is wrong with the fields' arguments, with variables that have no issues. */
  readonly faults: FaultFinder;
  /** Runs it; compiled once it has run often. */
  readonly run: Operation;
}

/** The documents that came lately, and what is known of their operations. Bounded, whatever clients send. */
export class KnownDocuments {
  readonly #schema: GraphQLSchema;
  readonly #findUses: UseFinder;
  readonly #names: Names;
  readonly #costs: ListCosts;
  readonly #operations = new WeakMap<DocumentNode, Map<string, KnownOperation>>();
  /** By the texts' digests. */
  readonly #once = new LRUCache<string, true>({ max: MOST_TEXTS });
  readonly #parsed = new LRUCache<string, DocumentNode>({
    max: MOST_DOCUMENTS,
    maxSize: MOST_CHARACTERS,
    sizeCalculation: (_, text) => text.length + 1,
  });
  readonly #compiled: CompiledOperations = new LRUCache({ maxSize: MOST_COMPILED_FIELDS });

  /**
   * @param names whether it is told what an input accepts
   * @param costs what lists cost
   */
  constructor(schema: GraphQLSchema, names: Names = 'told', costs: ListCosts = listCosts(() => [])) {
    this.#schema = schema;
    this.#costs = costs;
    this.#names = names;
    this.#findUses = useFinder(schema);
  }

  /** The document of a text that came before. */
  get(text: string): DocumentNode | undefined {
    return this.#parsed.get(text);
  }

  /** Keeps the document of a text from its second time on: what never comes again is not worth the memory. */
  set(text: string, document: DocumentNode): void {
    const digest = hash('sha256', text, 'base64');
    if (this.#once.delete(digest)) this.#parsed.set(text, document);
    else this.#once.set(digest, true);
  }

  /** Keeps no longer what is not valid: its errors take more memory than the document does. */
  forget(document: DocumentNode): void {
    if (document.loc !== undefined) this.#parsed.delete(document.loc.source.body);
  }

  /** The operation of a text that ran before; undefined for one that did not. */
  recall(text: string, operationName: string | undefined): KnownOperation | undefined {
    const document = this.#parsed.get(text);
    return document && this.#operations.get(document)?.get(operationName ?? '');
  }

  /**
   * The operation of a valid document.
   *
   * @throws {ServiceError} INVALID_ARGUMENT when it is beyond a limit
   */
  operationOf(document: DocumentNode, operationName: string | undefined): KnownOperation {
    const ofDocument = this.#operations.get(document) ?? new Map<string, KnownOperation>();
    const operation = ofDocument.get(operationName ?? '') ?? this.#learn(document, operationName);
    this.#operations.set(document, ofDocument.set(operationName ?? '', operation));
    return operation;
  }

  #learn(document: DocumentNode, name: string | undefined): KnownOperation {
    const schema = this.#schema;
    const { fields, roots, askingFor } = measureOperation(schema, document, name);
    const node = getOperationAST(document, name) as OperationDefinitionNode;
    const selections = selectionsOf(schema, document, node);
    const counted = countedLists(selections);
    const { given, always } = this.#findUses(document, name);
    const places = (node.variableDefinitions ?? []).map(({ variable, type, defaultValue }) => ({
      name: variable.name.value,
      place: { type: typeFromAST(schema, type), defaultValue, extensions: {} } as InputPlace,
    }));
    const withoutNull = neverNull(schema, node, selections);
    return {
      label: onlyField(node)?.name.value ?? 'several',
      isMutation: node.operation === 'mutation',
      changesSeveral: node.operation === 'mutation' && onlyField(node) === undefined,
      scopes: scopesOf(schema, document, name),
      cost: (variables) => {
        const asking = askingFor(variables);
        const counts = counted(variables).reduce((sum, list) => sum + this.#costs.count(list), 0);
        return { units: unitsOf(asking, this.#costs) + counts + Math.max(0, roots - 1), bytes: asking.bytes };
      },
      uses: (variables) => given?.(variables) ?? always,
      issues: (variables) =>
        places.flatMap(({ name, place }) => {
          const value = Object.hasOwn(variables, name) ? variables[name] : undefined;
          return value === null && withoutNull.has(name)
            ? [{ path: [name], message: 'must not be null; omit it instead' }]
            : inputIssues(place, value, [name], this.#names);
        }),
      faults: faultFinder(selections),
      run: this.#runner(document, name, fields),
    };
  }

  /** One that was pushed out by others has to earn it again. */
  #runner(document: DocumentNode, name: string | undefined, fields: number): Operation {
    const interpreted = interpretOperation(this.#schema, document, name);
    if (fields > MOST_COMPILED) return interpreted;
    const key = {};
    let runs = 0;
    return (variables, context) => {
      const known = this.#compiled.get(key);
      if (known !== undefined) return known(variables, context);
      if (++runs % COMPILED_AT !== 0) return interpreted(variables, context);
      const compiled = compileOperation(this.#schema, document, name);
      this.#compiled.set(key, compiled, { size: fields + FIELDS_OF_OPERATION });
      return compiled(variables, context);
    };
  }
}

/** The root field of an operation that selects one, and not by a fragment. */
export function onlyField({ selectionSet: { selections } }: OperationDefinitionNode): FieldNode | undefined {
  const [first, ...others] = selections;
  return first?.kind === Kind.FIELD && others.length === 0 ? first : undefined;
}
