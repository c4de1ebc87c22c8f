/** The context of resolvers. Each resource adds its store, so that this file need not know the resources. */
export interface Context {
  /** The id of the request of a change; undefined for a read. */
  readonly requestId?: string;
  /** What the caller of a change is charged as; undefined for a read. */
  readonly account?: string;
  /** Aborted when the request has been given up; undefined for an operation with a single change. */
  readonly signal?: Pick<AbortSignal, 'aborted'>;
}
