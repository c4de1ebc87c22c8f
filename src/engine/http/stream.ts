import type { Writable } from 'node:stream';

/** A body that is written while the client reads it: called once, after the header fields are sent; not for HEAD. */
export type StreamBody = (sink: Sink) => void;

/** The client's end of a stream. */
export interface Sink {
  /** Sends text; does nothing when the stream has ended. */
  write(text: string): void;
  /** How many bytes the client has not read yet. */
  unread(): number;
  /** Resolves when the client has read most of what was sent, or the stream has ended. */
  drained(): Promise<void>;
  /** Ends the stream: after what was sent, or at once with everything that the client has not read. */
  end(how: 'after' | 'now'): void;
  /** Called when the stream has ended, by the service or by the client. */
  onEnd(callback: () => void): void;
}

/** Writes a stream to a response of Node, or to what a `Response` of the Fetch standard reads. */
export function sinkTo(writable: Writable): Sink {
  return {
    write(text) {
      // An ended stream stays open until the client has read what was sent.
      if (writable.writable && !writable.writableEnded) writable.write(text);
    },
    unread: () => writable.writableLength,
    drained: () =>
      new Promise((resolve) => {
        if (!writable.writableNeedDrain) return resolve();
        const end = () => {
          writable.off('drain', end).off('close', end);
          resolve();
        };
        writable.on('drain', end).on('close', end);
      }),
    end(how) {
      if (how === 'now') writable.destroy();
      else writable.end();
    },
    onEnd: (callback) => void writable.once('close', callback),
  };
}
