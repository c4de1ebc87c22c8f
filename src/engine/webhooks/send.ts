import { constants } from 'node:crypto';
import { type LookupAddress, type LookupOptions, promises } from 'node:dns';
import { Agent as HttpAgent, request as httpRequest, type IncomingMessage } from 'node:http';
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https';
import { isIPv6, type LookupFunction, type Socket } from 'node:net';
import { limitChunks } from '../http/chunks.ts';
import { isAllowed, knownAddresses, type Reach } from './target.ts';

/** How long an attempt may take until the status of the response, in milliseconds. */
const TIMEOUT = 10_000;
/** How long a name server may take to answer, in milliseconds. */
const LOOKUP_TIMEOUT = 4_000;
/** How much of a response is read, in bytes and milliseconds: all that is wanted is its status. */
const MAX_RESPONSE = 65_536;
const MAX_READ_TIME = 1_000;
/**
 * The connection is closed after this many interim responses (RFC 9110, section 15.2) or session tickets (RFC 8446,
 * section 4.6.1): each takes time.
 */
const MAX_EXTRA = 10;
/** Connections are used again, and closed after a minute without use. */
const KEPT = { keepAlive: true, timeout: 60_000 };

export interface Attempt {
  readonly status: number | null;
  readonly retryAfter?: string | undefined;
  /** In a sentence, why there is no response. */
  readonly error?: string | undefined;
}

export type Resolve = (name: string) => Promise<readonly string[]>;

interface Message {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

class NoAnswer extends Error {}

/** Sends messages only to addresses that were checked, without redirects, in at most 10 seconds. Never rejects. */
export function createSender(reach: Reach, resolve: Resolve = askNameServers) {
  const agents = { 'https:': new HttpsAgent(KEPT), 'http:': new HttpAgent(KEPT) };
  const running = new Set<AbortController>();
  // Otherwise the receiver could send without end what nobody reads.
  for (const agent of Object.values(agents)) agent.on('free', (socket: Socket) => socket.once('data', close));

  return {
    async send(message: Message): Promise<Attempt> {
      const controller = new AbortController();
      running.add(controller);
      const timeout = setTimeout(
        () => controller.abort(new NoAnswer(`There was no answer within ${TIMEOUT / 1_000} seconds.`)),
        TIMEOUT,
      );
      try {
        return await post(message, controller.signal, 'kept');
      } catch (error) {
        return { status: null, error: explain(controller.signal.aborted ? controller.signal.reason : error) };
      } finally {
        clearTimeout(timeout);
        running.delete(controller);
      }
    },

    end(): void {
      for (const controller of running) controller.abort(new NoAnswer('The service was stopped.'));
      for (const agent of Object.values(agents)) agent.destroy();
    },
  };

  async function post(message: Message, signal: AbortSignal, connection: 'kept' | 'new'): Promise<Attempt> {
    const { headers, body } = message;
    const url = new URL(message.url);
    const known = knownAddresses(url.hostname);
    if (known !== undefined) assertAllowed(known);
    const [send, agent] = url.protocol === 'https:' ? [httpsRequest, agents['https:']] : [httpRequest, agents['http:']];
    const request = send(url, {
      method: 'POST',
      headers: { ...headers, 'content-length': Buffer.byteLength(body) },
      agent: connection === 'kept' ? agent : false,
      lookup,
      signal,
      // Otherwise the receiver could begin handshakes without end.
      secureOptions: constants.SSL_OP_NO_RENEGOTIATION,
    });
    try {
      return await new Promise((resolveAttempt, reject) => {
        request.on('response', (response) => {
          limitChunks(response, () => response.destroy());
          resolveAttempt({ status: response.statusCode ?? null, retryAfter: response.headers['retry-after'] });
          drain(response);
        });
        let [interim, tickets] = [0, 0];
        request.on('socket', (socket) => {
          socket.off('data', close);
          if (request.reusedSocket) return;
          socket.on('session', () => {
            if (++tickets === MAX_EXTRA) socket.destroy();
          });
        });
        request.on('information', () => {
          if (++interim === MAX_EXTRA) request.destroy(new NoAnswer('The receiver sent only interim responses.'));
        });
        request.on('error', reject);
        // Such as after 101, by which a receiver changes to another protocol.
        request.on('close', () => reject(new NoAnswer('The connection was closed without an answer.')));
        request.end(body);
      });
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      // The receiver has closed an idle connection at the moment when it was used again.
      if (request.reusedSocket && (code === 'ECONNRESET' || code === 'EPIPE')) return post(message, signal, 'new');
      throw error;
    }
  }

  /** Gives the connection the addresses that were checked, so that no later answer of a name server counts. */
  function lookup(name: string, options: LookupOptions, done: Parameters<LookupFunction>[2]): void {
    const found = async (): Promise<LookupAddress[]> => {
      const addresses = knownAddresses(name) ?? (await resolve(name));
      if (addresses.length === 0) throw new NoAnswer(`${name} has no address.`);
      assertAllowed(addresses);
      return addresses.map((address) => ({ address, family: isIPv6(address) ? 6 : 4 }));
    };
    found().then(
      (addresses) => {
        const [first] = addresses as [LookupAddress];
        if (options.all === true) done(null, addresses);
        else done(null, first.address, first.family);
      },
      (error) => done(error, ''),
    );
  }

  function assertAllowed(addresses: readonly string[]): void {
    if (!addresses.every((address) => isAllowed(address, reach))) {
      throw new NoAnswer('The name of the URL leads to an address that is not public.');
    }
  }
}

function close(this: Socket): void {
  this.destroy();
}

/** Reads the rest of a response, so that the connection can be used again; one that is too long or slow is cut. */
function drain(response: IncomingMessage): void {
  let size = 0;
  const timeout = setTimeout(() => response.destroy(), MAX_READ_TIME);
  response.on('data', (chunk: Buffer) => {
    size += chunk.length;
    if (size > MAX_RESPONSE) response.destroy();
  });
  // What follows the status does not matter.
  response.on('error', () => {});
  response.on('close', () => clearTimeout(timeout));
}

function explain(error: unknown): string {
  if (error instanceof NoAnswer) return error.message;
  const { code, message } = error as NodeJS.ErrnoException;
  return `The request failed with ${code ?? message}.`;
}

/** Asks the name servers, and not the machine's resolver, whose few threads a slow name server would keep busy. */
async function askNameServers(name: string): Promise<readonly string[]> {
  const resolver = new promises.Resolver({ timeout: LOOKUP_TIMEOUT / 2, tries: 2 });
  const answers = await Promise.allSettled([resolver.resolve4(name), resolver.resolve6(name)]);
  const addresses = answers.flatMap((answer) => (answer.status === 'fulfilled' ? answer.value : []));
  const [failure] = answers.flatMap((answer) => (answer.status === 'rejected' ? [answer.reason] : []));
  if (addresses.length === 0 && failure !== undefined) throw failure;
  return addresses;
}
