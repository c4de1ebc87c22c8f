/** A cache, such as a `Map` or an `LRUCache`. */
export interface Cache<Value> {
  get(key: string): Value | undefined;
  set(key: string, value: Value): unknown;
}

/** The cached value of the key; makes and caches it if it is missing. */
export function memo<Value>(cache: Cache<Value>, key: string, make: () => Value): Value {
  const found = cache.get(key);
  if (found !== undefined) return found;
  const made = make();
  cache.set(key, made);
  return made;
}

/** A cache key of values: different values have different keys. */
export function valuesKey(values: Readonly<Record<string, unknown>>): string {
  for (const name in values) if (values[name] != null) return JSON.stringify(values, asText);
  return '';
}

function asText(_key: string, value: unknown): unknown {
  return typeof value === 'bigint' ? value.toString() : value;
}
