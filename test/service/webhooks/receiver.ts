import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { parseJson } from '../../../src/engine/json.ts';

/** A request that a receiver got. */
export interface Received {
  readonly path: string;
  readonly headers: IncomingHttpHeaders & Record<string, string>;
  readonly body: string;
  readonly event: { readonly id: string; readonly type: string; readonly subject: string; readonly data: Row };
}

interface Row {
  readonly name?: string;
}

interface Answer {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
}

/** A receiver of webhooks on this machine. */
export interface Receiver {
  readonly url: string;
  /** The requests until now. */
  readonly received: Received[];
  /** How it answers the next requests. */
  answer: (request: Received) => Answer | Promise<Answer>;
  close(): Promise<void>;
}

export const OK: Answer = { status: 204 };

export async function startReceiver(): Promise<Receiver> {
  const received: Received[] = [];
  const server = createServer(async (request, response) => {
    let body = '';
    for await (const chunk of request) body += chunk;
    const got = {
      path: request.url ?? '',
      headers: request.headers as Received['headers'],
      body,
      event: parseJson(body) as Received['event'],
    };
    received.push(got);
    const { status, headers = {} } = await receiver.answer(got);
    response.writeHead(status, headers).end();
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const receiver: Receiver = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    received,
    answer: () => OK,
    close: async () => {
      server.closeAllConnections();
      server.close();
    },
  };
  return receiver;
}

/** Resolves when the condition holds; rejects with what it is if that takes too long. */
export async function until(condition: () => boolean | Promise<boolean>, what: string): Promise<void> {
  const latest = performance.now() + 20_000;
  while (!(await condition())) {
    if (performance.now() > latest) throw new Error(`It is not so yet: ${what}.`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}
