import type { ExecutionResult, FieldNode } from 'graphql';
import type { ServiceError } from '../errors.ts';
import type { Annotated } from '../lifecycle/annotated.ts';
import type { Context } from '../schema/context.ts';

/** The variables of a request, as they came. */
export type Variables = Readonly<Record<string, unknown>>;

/** Why an operation must not run. */
export interface Rejection {
  readonly error: ServiceError;
  /** The field of the document that it is about, if it is about one. */
  readonly node: FieldNode | undefined;
}

/** What is worked out once for an operation of a document. */
export interface PreparedOperation {
  /** The root field that it selects, or `several`: a label of few values. */
  readonly label: string;
  readonly kind: 'read' | 'change';
  /** Whether it has several changes, each of which begins when the one before has ended. */
  readonly changesSeveral: boolean;
  /** What a caller must be allowed to do. */
  readonly scopes: readonly string[];
  /**
   * What it costs beyond a unit with these variables, and how long its answer may be, in bytes; throws INVALID_ARGUMENT when
   * it asks for too much.
   */
  cost(variables: Variables): { readonly units: number; readonly bytes: number };
  /** What it uses of what is annotated, whatever the variables are. */
  readonly uses: readonly Annotated[];
  /** What it uses beside that with these variables; undefined where they make no difference. */
  readonly usesBy: ((variables: Variables) => readonly Annotated[]) | undefined;
  /** What is wrong with the variables, or else with the arguments of its fields; empty for nothing. */
  validate(variables: Variables): readonly Rejection[];
  /** Runs it; takes the variables as they came. */
  run(variables: Variables, context: Context): ExecutionResult | Promise<ExecutionResult>;
}
