import type { ExecutionResult, FieldNode } from 'graphql';
import type { ServiceError } from '../errors.ts';
import type { IncomingRequest } from '../http/incoming.ts';
import type { Annotated } from '../lifecycle/annotated.ts';
import type { ListCosts } from '../limits/units.ts';
import type { Context } from '../schema/context.ts';

/** The variables of a request, as the client sent them. */
export type Variables = Readonly<Record<string, unknown>>;

/** Why an operation must not run. */
export interface Rejection {
  readonly error: ServiceError;
  /** The field of the document that is wrong, if it is one. */
  readonly node: FieldNode | undefined;
}

/** The annotated elements that an operation uses. */
export interface OperationUses {
  /** With any variables. */
  readonly always: readonly Annotated[];
  /** The further ones with these variables. */
  given(variables: Variables): readonly Annotated[];
}

/** An operation of a document, with everything that is the same for all requests for it. */
export interface PreparedOperation {
  /** The root field that it selects; of several, one that may wait, else `several`: a label with few values. */
  readonly label: string;
  readonly kind: 'read' | 'change' | 'stream';
  /** Whether it has several changes, which run one after another. */
  readonly changesSeveral: boolean;
  readonly scopes: readonly string[];
  /**
   * The cost beyond the one unit of each request, and the maximum size of the response; throws INVALID_ARGUMENT for too
   * much. `runs` is how many times it runs at once, by default 1, at most `maxRuns`.
   */
  cost(variables: Variables, costs: ListCosts, runs?: number): { readonly units: number; readonly bytes: number };
  /** How many times it can run at once within the limits of an operation, as for the events of a stream. */
  maxRuns(variables: Variables): number;
  readonly uses: OperationUses;
  /** Of the variables, or else of the arguments of its fields. */
  validate(variables: Variables): readonly Rejection[];

  /** The arguments of a stream's root field; undefined for other kinds. */
  readonly streamArgs: ((variables: Variables) => Variables) | undefined;
  /**
   * Waits until it has something to return, and resolves to a part of the context for that; undefined if it never waits.
   * Rejects with a `ServiceError`.
   */
  readonly wait:
    | ((variables: Variables, context: Context, request: IncomingRequest) => Promise<Partial<Context>>)
    | undefined;

  run(variables: Variables, context: Context): ExecutionResult | Promise<ExecutionResult>;
}
