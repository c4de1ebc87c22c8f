import type { Sink } from '../http/stream.ts';
import type { StreamFormat } from './event-stream.ts';

const EVENT = 'event';

/** How events are sent to a page that waits. */
export const WAITING: StreamFormat = {
  key: 'wait',
  serializeAll: async (events) => events.map(() => EVENT),
  rejection: () => '',
};

/** The sink of a page that waits, to which nothing is written: it ends with its first event. */
export function waitingSink(): { readonly sink: Sink; readonly ended: Promise<void> } {
  let end = (): void => {};
  const ended = new Promise<void>((resolve) => {
    end = resolve;
  });
  const sink: Sink = {
    write: (text) => (text.startsWith(EVENT) ? end() : undefined),
    unread: () => 0,
    drained: async () => {},
    end,
    onEnd: (callback) => void ended.then(callback),
  };
  return { sink, ended };
}
