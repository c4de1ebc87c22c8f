import { hash } from 'node:crypto';
import type { DocumentNode, GraphQLSchema } from 'graphql';
import { LRUCache } from 'lru-cache';
import type { Names } from '../schema/input.ts';
import { compileOperation, interpretOperation, type Operation } from './compiled.ts';
import { type PrepareOptions, prepareOperation } from './prepare.ts';
import type { PreparedOperation } from './prepared.ts';
import { type Selection, selectionOf } from './selection.ts';
import { useFinder } from './uses.ts';
import { validator } from './validation.ts';

/** The maximum number of documents in the cache, and of their characters together. */
const MAX_DOCUMENTS = 1_000;
const MAX_CHARACTERS = 150_000;
/** The maximum number of remembered digests of texts that came once. */
const MAX_TEXTS = 5_000;
/** The first run that compiles it: compiling pays off after about forty runs. */
export const COMPILED_AT = 10;
/** The most runs between two compilations of an operation that is evicted again and again. */
const MAX_RUNS_APART = 640;
/** The most fields that are compiled: more take longer to compile than that saves. */
const MAX_COMPILED = 300;
/** Of all compiled operations: a field takes 2 to 10 KB, an operation as much as ten fields. */
const MAX_COMPILED_FIELDS = 2_000;
const FIELDS_OF_OPERATION = 10;

interface KeptDocument {
  readonly document: DocumentNode;
  readonly operations: Map<string | undefined, PreparedOperation>;
}

/** A bounded cache of recent documents and their prepared operations. */
export class PreparedDocuments {
  readonly #schema: GraphQLSchema;
  readonly #options: PrepareOptions;
  /** The digests of texts that came once. */
  readonly #once = new LRUCache<string, true>({ max: MAX_TEXTS });
  readonly #kept = new LRUCache<string, KeptDocument>({
    max: MAX_DOCUMENTS,
    maxSize: MAX_CHARACTERS,
    sizeCalculation: (_, text) => text.length + 1,
  });
  /** By the interpreted operation. */
  readonly #compiled = new LRUCache<Operation, Operation>({ maxSize: MAX_COMPILED_FIELDS });

  constructor(schema: GraphQLSchema, names: Names = 'shown') {
    this.#schema = schema;
    const run: PrepareOptions['run'] = (selection) => this.#runner(selection);
    this.#options = { findUses: useFinder(schema), validate: validator(names), run };
  }

  find(text: string, operationName: string | undefined): PreparedOperation | undefined {
    return this.#kept.get(text)?.operations.get(operationName);
  }

  /**
   * Of a valid document. Keeps it from the second time that its text comes: others are not worth the memory.
   *
   * @throws {ServiceError} INVALID_ARGUMENT if it exceeds a limit; it is not kept then, and so charged each time
   */
  prepare(text: string, document: DocumentNode, operationName: string | undefined): PreparedOperation {
    const kept = this.#kept.get(text);
    const selection = selectionOf(this.#schema, kept?.document ?? document, operationName);
    const operation = prepareOperation(selection, this.#options);
    if (kept !== undefined) kept.operations.set(operationName, operation);
    else if (this.#hasCome(text)) this.#kept.set(text, { document, operations: new Map([[operationName, operation]]) });
    return operation;
  }

  #hasCome(text: string): boolean {
    const digest = hash('sha256', text, 'base64');
    const hasCome = this.#once.delete(digest);
    if (!hasCome) this.#once.set(digest, true);
    return hasCome;
  }

  /**
   * One that was evicted is compiled again after twice as many runs, up to a maximum: with too many for the cache,
   * compiling takes longer than it saves.
   */
  #runner(selection: Selection): Operation {
    const { schema, document, operation, size } = selection;
    const interpreted = interpretOperation(selection);
    if (size > MAX_COMPILED) return interpreted;
    let [runs, compiledAt] = [0, COMPILED_AT];
    return (variables, context) => {
      const cached = this.#compiled.get(interpreted);
      if (cached !== undefined) return cached(variables, context);
      if (++runs < compiledAt) return interpreted(variables, context);
      compiledAt = runs + Math.min(runs, MAX_RUNS_APART);
      const compiled = compileOperation(selectionOf(schema, document, operation.name?.value));
      this.#compiled.set(interpreted, compiled, { size: size + FIELDS_OF_OPERATION });
      return compiled(variables, context);
    };
  }
}
