import { request } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';

export interface StreamEvent {
  readonly id: string;
  readonly event: string;
  readonly data: { readonly id: string; readonly type: string; readonly data: Readonly<Record<string, unknown>> };
}

/** An open stream, and what has come on it. */
interface Stream {
  readonly status: number;
  readonly headers: Readonly<Record<string, unknown>>;
  text(): string;
  events(): readonly StreamEvent[];
  /** Resolves when the condition holds for its text, or rejects after some seconds. */
  until(condition: (text: string) => boolean): Promise<void>;
  readonly ended: Promise<unknown>;
  cut(): void;
}

/** Requests a stream of events. */
export function openStream(url: string, headers: Readonly<Record<string, string>>): Promise<Stream> {
  return new Promise((resolve, reject) => {
    const asking = request(url, { headers: { accept: 'text/event-stream', ...headers }, agent: false }, (response) => {
      let text = '';
      response.setEncoding('utf8').on('data', (chunk) => {
        text += chunk;
      });
      response.on('error', () => {});
      resolve({
        status: response.statusCode ?? 0,
        headers: response.headers,
        text: () => text,
        events: () => eventsIn(text),
        async until(condition) {
          for (let waited = 0; !condition(text); waited += 10) {
            if (waited > 10_000) throw new Error(`Not in the stream: ${text.slice(-500)}`);
            await sleep(10);
          }
        },
        ended: new Promise((end) => response.once('close', end)),
        cut: () => asking.destroy(),
      });
    });
    asking.on('error', reject);
    asking.end();
  });
}

/** The whole events of a stream's text; one that was cut has no empty line after it. */
export function eventsIn(text: string): StreamEvent[] {
  return text
    .split('\n\n')
    .slice(0, -1)
    .flatMap((block) => {
      const fields = Object.fromEntries(block.split('\n').map((line) => line.split(/: (.*)/s, 2)));
      return fields.data === undefined ? [] : [{ ...fields, data: JSON.parse(fields.data) }];
    });
}
