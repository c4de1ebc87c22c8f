interface Parts {
  readonly method?: string;
  readonly target?: string;
  readonly version?: string;
  readonly fields?: readonly string[];
}

/** A request that is proper but for what is said of it. */
export function request({
  method = 'GET',
  target = '/pets/0',
  version = 'HTTP/1.1',
  fields = ['Host: x'],
}: Parts): string {
  return `${method} ${target} ${version}\r\n${fields.map((field) => `${field}\r\n`).join('')}\r\n`;
}

/** One that creates a category, with a body and the fields that say where that ends. */
export function post(fields: readonly string[], body: string): string {
  return (
    request({
      method: 'POST',
      target: '/categories',
      fields: ['Host: x', 'Content-Type: application/json', ...fields],
    }) + body
  );
}
