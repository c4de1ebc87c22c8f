import { connect, type Socket } from 'node:net';

const DEFAULT_PORT = 5432;

/** Where the server is, as postgres.js has read it from the URL or the environment. */
interface Address {
  readonly host: readonly string[];
  readonly port: readonly number[];
  readonly path: string | false;
}

/**
 * The `socket` option of postgres.js 3.4.9, which connects as by default, but only once; then it throws
 * CONNECTION_CLOSED. When the other end accepts a connection and closes it, like a load balancer without a server,
 * postgres.js would retry at once, thousands of times a second, and the statement would wait until it times out.
 */
export function connectOnce(url: string): (address: Address) => Promise<Socket> {
  const { hostname, port: ownPort } = new URL(url);
  // postgres.js divides an IPv6 address at its colons.
  const [, ipv6] = /^\[(.*)\]$/.exec(hostname) ?? [];
  let isTried = false;
  return async ({ host: [name], port: [namedPort], path }) => {
    const [host, givenPort] = ipv6 === undefined ? [name, namedPort] : [ipv6, Number(ownPort)];
    const port = givenPort || DEFAULT_PORT;
    if (isTried) throw Object.assign(new Error('The server has closed the connection.'), { code: 'CONNECTION_CLOSED' });
    isTried = true;
    // In a microtask, so that postgres.js listens before the socket can fail, as for lack of a route or of file descriptors:
    // an error without a listener would end the process.
    await undefined;
    const socket = path === false ? connect(port, host) : connect(path);
    // postgres.js uses `host` and `port` in its errors, and `host` as the server name for TLS, but not an address; without
    // `_host`, which is Node's own, Node would then verify that the certificate is for localhost.
    return Object.assign(socket, { host, port, _host: host });
  };
}
