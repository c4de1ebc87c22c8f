import { Writable } from 'node:stream';
import type { StreamFormat } from './event-stream.ts';

const EVENT = 'event';

/** How events are sent to a page that waits. */
export const WAITING: StreamFormat = {
  key: 'wait',
  serializeAll: async (events) => events.map(() => EVENT),
  rejection: () => '',
};

/** The client of a page that waits: it wants one event. */
export function waitingClient(): Writable {
  return new Writable({
    decodeStrings: false,
    write(text: string, _, done) {
      if (text.startsWith(EVENT)) this.destroy();
      done();
    },
  });
}
