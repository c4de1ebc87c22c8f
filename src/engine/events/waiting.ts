import type { Sink } from '../http/stream.ts';
import type { StreamFormat } from './event-stream.ts';

const EVENT = 'event';

/** How events are sent to a page that waits. */
export const WAITING: StreamFormat = {
  key: 'wait',
  textsOf: async (events) => events.map(() => EVENT),
  rejection: () => '',
};

/** The client of a page that waits: it wants one event. */
export function waitingSink(): Sink & { readonly ended: Promise<void> } {
  let end = () => {};
  const ended = new Promise<void>((resolve) => {
    end = resolve;
  });
  return {
    write: (text) => text.startsWith(EVENT) && end(),
    unread: () => 0,
    drained: async () => {},
    end: () => end(),
    onEnd: (callback) => void ended.then(callback),
    ended,
  };
}
