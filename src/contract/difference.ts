/** What something is called, and what it lies in. */
export interface Place {
  /** `Query.pet`, `Query.pets(sort:)`, `GET /pets`, `GET /pets (query sort)`, `Pet.status`. */
  readonly coordinate: string;
  /** Whose standing counts for something that the base does not have. */
  readonly holder: string;
}

/** What happened at a place of either description. */
export interface Change extends Place {
  /**
   * `break`: a client that did nothing wrong may fail. `surprise`: nothing that was promised is broken, but a client
   * that is not written with care may be surprised. `notice`: a sunset is announced for the first time, or is
   * earlier than announced.
   */
  readonly kind: 'break' | 'surprise' | 'notice';
  /** In whole sentences. */
  readonly what: string;
  /** The day that a notice is of, in UTC. */
  readonly sunset?: string;
  /** The operations in which a part of OpenAPI that they share was met. */
  readonly operations?: readonly string[];
}

/** One way in which the contract differs from the base's. */
export interface Difference extends Change {
  readonly protocol: 'graphql' | 'openapi';
  /** What GraphQL calls it, if it is of OpenAPI. */
  readonly counterpart?: string | undefined;
}

/** The place of an operation or a type, which lies in nothing else that has a standing. */
export function placeOf(coordinate: string): Place {
  return { coordinate, holder: coordinate };
}

export function breaks({ coordinate, holder }: Place, what: string): Change {
  return { kind: 'break', coordinate, holder, what };
}

export function surprises({ coordinate, holder }: Place, what: string): Change {
  return { kind: 'surprise', coordinate, holder, what };
}

export function announces({ coordinate, holder }: Place, sunset: string, what: string): Change {
  return { kind: 'notice', coordinate, holder, what, sunset };
}
