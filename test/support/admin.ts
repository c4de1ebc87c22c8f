import postgres from 'postgres';

/** The URL of another database on the same server. */
export function addressOf(serverUrl: string, database: string): string {
  const url = new URL(serverUrl);
  url.pathname = `/${database}`;
  return url.href;
}

/**
 * Runs one statement on a connection of its own, for work that needs one outside of a pool and a transaction: creating
 * and dropping databases, and observing a database while the service uses it.
 */
export async function administer(url: string, statement: string): Promise<void> {
  await rowsOf(url, statement);
}

/** The rows that one statement returns, on a connection of its own. */
export async function rowsOf<Row extends object>(url: string, statement: string): Promise<readonly Row[]> {
  const client = postgres(url, { max: 1, connect_timeout: 5, onnotice: () => {} });
  try {
    return await client.unsafe<Row[]>(statement);
  } finally {
    await client.end({ timeout: 5 });
  }
}
