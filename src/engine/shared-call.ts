/** Makes a function that calls another one, unless a call is in progress: then it returns the promise of that one. */
export function sharedCall<T>(work: () => Promise<T>): () => Promise<T> {
  let pending: Promise<T> | undefined;
  return () => {
    pending ??= work().finally(() => {
      pending = undefined;
    });
    return pending;
  };
}
