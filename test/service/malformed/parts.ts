interface Parts {
  readonly method?: string;
  readonly target?: string;
  readonly version?: string;
  readonly fields?: readonly string[];
}

/** A valid request, except for the given parts. */
export function request({
  method = 'GET',
  target = '/pets?limit=1',
  version = 'HTTP/1.1',
  fields = ['Host: x'],
}: Parts): string {
  return `${method} ${target} ${version}\r\n${fields.map((field) => `${field}\r\n`).join('')}\r\n`;
}

/** A request that creates a category, with this body and the header fields that state its length. */
export function post(fields: readonly string[], body: string): string {
  return (
    request({
      method: 'POST',
      target: '/categories',
      fields: ['Host: x', 'Content-Type: application/json', ...fields],
    }) + body
  );
}
