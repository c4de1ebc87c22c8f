/** The input of each peer: the URL of the database. */
export const { DATABASE_URL } = process.env;

/** The number of connections to the database, the same as the service's. */
export const POOL_SIZE = 10;

/** The address of every peer: any free port. */
export const ADDRESS = { host: '127.0.0.1', port: 0 };

/**
 * Prints the port and the process id of the peer as one line of JSON.
 *
 * @param {import('node:net').Server} server a listening server
 */
export function announce(server) {
  process.stdout.write(`${JSON.stringify({ port: server.address().port, pid: process.pid })}\n`);
}
