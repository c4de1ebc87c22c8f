import { connect, type Socket } from 'node:net';

const DEFAULT_PORT = 5432;

/** Where postgres.js has found its server to be, by an address or the settings of the environment. */
interface Place {
  readonly host: readonly string[];
  readonly port: readonly number[];
  /** A socket of the system, instead of the others. */
  readonly path: string | false;
}

/**
 * Connects as postgres.js 3.4.9 does by itself, but once. Where the other end takes a connection and closes it again, as a
 * balancer does that has no server behind it, postgres.js would try again at once and without an end, thousands of times a
 * second, and the statement would wait for that until its time is over.
 *
 * @returns what postgres.js takes as its `socket`; throws CONNECTION_CLOSED from the second time on, where there is one host
 */
export function connectOnce(): (place: Place) => Socket {
  let tries = 0;
  return ({ host: hosts, port: ports, path }) => {
    // Of several it goes on to the next one itself.
    if (tries > 0 && hosts.length === 1) {
      throw Object.assign(new Error('The server has closed the connection.'), { code: 'CONNECTION_CLOSED' });
    }
    const at = tries++ % hosts.length;
    const host = hosts[at];
    const socket = path === false ? connect(ports[at] ?? DEFAULT_PORT, host) : connect(path);
    // By this name postgres.js asks for the server's certificate.
    return Object.assign(socket, { host });
  };
}
