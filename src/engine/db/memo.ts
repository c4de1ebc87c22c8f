/** What is remembered by a word. */
export interface Memory<Value> {
  get(key: string): Value | undefined;
  set(key: string, value: Value): unknown;
}

/** What is remembered by the word, or is made now. */
export function memo<Value>(known: Memory<Value>, key: string, make: () => Value): Value {
  const found = known.get(key);
  if (found !== undefined) return found;
  const made = make();
  known.set(key, made);
  return made;
}

/** Two lists of values have the same word only when they are the same. */
export function valuesKey(values: Readonly<Record<string, unknown>>): string {
  for (const name in values) if (values[name] != null) return JSON.stringify(values, asText);
  return '';
}

function asText(_key: string, value: unknown): unknown {
  return typeof value === 'bigint' ? value.toString() : value;
}
