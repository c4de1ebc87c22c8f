/** What a worker tells of its start: the port once it listens, or why it cannot. */
export interface Start {
  readonly port?: number;
  readonly failure?: string;
}

/** What a worker is told that another has taken the place of. */
export interface Leave {
  readonly isReplaced: true;
}

/** Tells the process that started this one that it listens. */
export function tellReady(port: number): void {
  process.send?.({ start: { port } satisfies Start });
}

/** Tells the process that started this one why it cannot serve; answers when that is sent. */
export async function tellFailure(failure: string): Promise<void> {
  await new Promise((resolve) => process.send?.({ start: { failure } satisfies Start }, undefined, undefined, resolve));
}

/** Calls back when another process has taken the place of this one. */
export function onReplaced(leave: () => void): void {
  process.on('message', ({ isReplaced }: Partial<Leave>) => isReplaced && leave());
}
