/** A worker's message about its start: the port when it listens, or why it can't. */
export interface Start {
  readonly port?: number;
  readonly failure?: string;
}

/** The message to a worker that another one has replaced. */
export interface Replaced {
  readonly isReplaced: true;
}

/** Reports to the primary process that this worker listens. */
export function reportReady(port: number): void {
  process.send?.({ start: { port } satisfies Start });
}

/** Reports to the primary process why this worker can't serve; resolves when the message is sent. */
export async function reportFailure(failure: string): Promise<void> {
  await new Promise((resolve) => process.send?.({ start: { failure } satisfies Start }, undefined, undefined, resolve));
}

/** Calls back when another worker has replaced this one. */
export function onReplaced(stop: () => void): void {
  process.on('message', ({ isReplaced }: Partial<Replaced>) => isReplaced && stop());
}
