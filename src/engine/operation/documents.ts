import { hash } from 'node:crypto';
import type { DocumentNode, GraphQLSchema } from 'graphql';
import { LRUCache } from 'lru-cache';
import { type ListCosts, listCosts } from '../limits/units.ts';
import type { Names } from '../schema/input.ts';
import type { ReadAheadPlans } from '../schema/reference.ts';
import { compileOperation, interpretOperation, type Operation } from './compiled.ts';
import { type PrepareOptions, prepareOperation, validator } from './prepare.ts';
import type { PreparedOperation } from './prepared.ts';
import { type UseFinder, useFinder } from './uses.ts';

/** How many documents are kept at once, and how many characters they have together. */
const MAX_DOCUMENTS = 1_000;
const MAX_CHARACTERS = 150_000;
/** How many texts are remembered that came once. */
const MAX_TEXTS = 5_000;
/** At which run an operation is compiled: that takes as long as compiling saves in some forty runs. */
export const COMPILED_AT = 10;
/** An operation with more fields than this takes longer to compile than it saves. */
const MAX_COMPILED = 300;
/** How many fields compiled operations have together; one takes 2 to 10 KB, and an operation as much as ten. */
const MAX_COMPILED_FIELDS = 2_000;
const FIELDS_OF_OPERATION = 10;

/** A document, with its operations that came so far by their names. */
interface KeptDocument {
  readonly document: DocumentNode;
  readonly operations: Map<string, PreparedOperation>;
}

/** The documents that came lately, with the operations that are prepared of them. Bounded, whatever clients send. */
export class PreparedDocuments {
  readonly #schema: GraphQLSchema;
  readonly #findUses: UseFinder;
  readonly #validate: PrepareOptions['validate'];
  readonly #costs: ListCosts;
  /** By the texts' digests. */
  readonly #once = new LRUCache<string, true>({ max: MAX_TEXTS });
  readonly #kept = new LRUCache<string, KeptDocument>({
    max: MAX_DOCUMENTS,
    maxSize: MAX_CHARACTERS,
    sizeCalculation: (_, text) => text.length + 1,
  });
  readonly #compiled = new LRUCache<object, Operation>({ maxSize: MAX_COMPILED_FIELDS });

  /**
   * @param names whether errors name what an input accepts
   * @param costs what lists cost
   */
  constructor(schema: GraphQLSchema, names: Names = 'told', costs: ListCosts = listCosts(() => [])) {
    this.#schema = schema;
    this.#costs = costs;
    this.#validate = validator(schema, names);
    this.#findUses = useFinder(schema);
  }

  /** The document of a text that came before. */
  get(text: string): DocumentNode | undefined {
    return this.#kept.get(text)?.document;
  }

  /** Keeps the document of a text from its second time on: what never comes again is not worth the memory. */
  set(text: string, document: DocumentNode): void {
    const digest = hash('sha256', text, 'base64');
    if (this.#once.delete(digest)) this.#kept.set(text, { document, operations: new Map() });
    else this.#once.set(digest, true);
  }

  /** Drops what is not valid: its errors take more memory than the document does. */
  forget(document: DocumentNode): void {
    if (document.loc !== undefined) this.#kept.delete(document.loc.source.body);
  }

  /** The prepared operation of a text; undefined for one that has to be prepared. */
  find(text: string, operationName: string | undefined): PreparedOperation | undefined {
    return this.#kept.get(text)?.operations.get(operationName ?? '');
  }

  /**
   * The operation of a valid document; kept where the document is.
   *
   * @throws {ServiceError} INVALID_ARGUMENT when it is beyond a limit
   */
  prepare(text: string, document: DocumentNode, operationName: string | undefined): PreparedOperation {
    const operations = this.#kept.get(text)?.operations;
    const known = operations?.get(operationName ?? '');
    if (known !== undefined) return known;
    const operation = prepareOperation(this.#schema, document, operationName, {
      findUses: this.#findUses,
      costs: this.#costs,
      validate: this.#validate,
      run: (fields, plans) => this.#runner(document, operationName, fields, plans),
    });
    operations?.set(operationName ?? '', operation);
    return operation;
  }

  /** One that was pushed out by others has to earn it again. */
  #runner(document: DocumentNode, name: string | undefined, fields: number, plans: ReadAheadPlans): Operation {
    const interpreted = interpretOperation(this.#schema, document, name, plans);
    if (fields > MAX_COMPILED) return interpreted;
    const key = {};
    let runs = 0;
    return (variables, context) => {
      const known = this.#compiled.get(key);
      if (known !== undefined) return known(variables, context);
      if (++runs % COMPILED_AT !== 0) return interpreted(variables, context);
      const compiled = compileOperation(this.#schema, document, name, plans);
      this.#compiled.set(key, compiled, { size: fields + FIELDS_OF_OPERATION });
      return compiled(variables, context);
    };
  }
}
