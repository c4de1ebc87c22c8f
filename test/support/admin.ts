import postgres from 'postgres';

/** The address of another database on the same server. */
export function addressOf(serverUrl: string, database: string): string {
  const url = new URL(serverUrl);
  url.pathname = `/${database}`;
  return url.href;
}

/**
 * Runs one statement on a connection of its own, for what neither a pool nor a transaction can do: creating and
 * dropping databases, or looking at a database from outside while the service works on it.
 */
export async function administer(url: string, statement: string): Promise<void> {
  const client = postgres(url, { max: 1, connect_timeout: 5, onnotice: () => {} });
  try {
    await client.unsafe(statement);
  } finally {
    await client.end({ timeout: 5 });
  }
}
