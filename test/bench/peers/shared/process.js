/** What the benchmark gives each peer: the database's address. */
export const { DATABASE_URL } = process.env;

/** Connections to the database, as many as the service has. */
export const POOL_SIZE = 10;

/** Where every peer listens: any free port. */
export const ADDRESS = { host: '127.0.0.1', port: 0 };

/**
 * Tells the benchmark, in one line of JSON, where the peer listens and which process it is.
 *
 * @param {import('node:net').Server} server that listens
 */
export function announce(server) {
  process.stdout.write(`${JSON.stringify({ port: server.address().port, pid: process.pid })}\n`);
}
