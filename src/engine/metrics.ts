/** What was asked; `none` where it was nothing that there is. */
export type Protocol = 'rest' | 'graphql' | 'page' | 'health' | 'none';

/** What is counted of requests. Every label has few values, whatever clients send. */
export interface RequestMetrics {
  /** A use of something marked; how many clients are told apart is bounded. */
  use(coordinate: string, level: string, client: string): void;
  /**
   * An answered request.
   *
   * @param status that of the error where there is one: GraphQL answers most errors by 200
   * @param seconds how long it took
   */
  request(protocol: Protocol, operation: string, status: number, seconds: number): void;
  /** All of it in the text format of Prometheus. */
  render(): Promise<{ contentType: string; text: string }>;
}
