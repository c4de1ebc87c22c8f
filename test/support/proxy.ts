import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

interface Proxy {
  /** The URL of the server, with the port of this proxy. */
  readonly url: string;
  /** Passes nothing on from now on and keeps all connections open, like a server that hangs. */
  freeze(): void;
  thaw(): void;
  /** Closes all connections and rejects new ones, like a server that has stopped. */
  stop(): void;
  /** Accepts connections again, at the same URL. */
  start(): Promise<void>;
  /** Closes all connections; new ones go to the server at this URL, as after a failover. */
  switchTo(serverUrl: string): void;
  close(): void;
}

/** In milliseconds. */
interface Delays {
  /** How long responses are held back. */
  readonly delay?: number;
  /** How long a connection to the server stays open when the client has closed its own, as with a pooler. */
  readonly linger?: number;
}

/** PostgreSQL's message by which a client says that it closes the connection. */
const TERMINATE = Buffer.from('X\0\0\0\x04');

/** Starts a proxy between a client and the server at the URL. */
export async function startProxy(serverUrl: string, { delay = 0, linger = 0 }: Delays = {}): Promise<Proxy> {
  let upstreamUrl = new URL(serverUrl);
  const sockets = new Set<Socket>();
  let isFrozen = false;
  const server = createServer((client) => {
    const upstream = connect(Number(upstreamUrl.port), upstreamUrl.hostname);
    for (const [from, to] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      sockets.add(from);
      const isAnswer = from === upstream;
      from.on('data', (chunk) => {
        if (linger > 0 && TERMINATE.equals(chunk)) return;
        if (isAnswer && delay > 0) setTimeout(() => to.write(chunk), delay);
        else to.write(chunk);
      });
      from.on('error', () => to.destroy());
      from.on('close', () => {
        sockets.delete(from);
        setTimeout(() => to.destroy(), isAnswer ? 0 : linger);
      });
      if (isFrozen) from.pause();
    }
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = new URL(serverUrl);
  url.hostname = '127.0.0.1';
  url.port = String((server.address() as AddressInfo).port);
  const closeAll = () => {
    for (const socket of sockets) socket.destroy();
  };
  const stop = () => {
    server.close();
    closeAll();
  };
  return {
    url: url.href,
    freeze() {
      isFrozen = true;
      for (const socket of sockets) socket.pause();
    },
    thaw() {
      isFrozen = false;
      for (const socket of sockets) socket.resume();
    },
    stop,
    async start() {
      server.listen(Number(url.port), url.hostname);
      await once(server, 'listening');
    },
    switchTo(other) {
      upstreamUrl = new URL(other);
      closeAll();
    },
    close: stop,
  };
}
