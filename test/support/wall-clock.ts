import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { makeTemporaryFolder } from './temporary.ts';

/** The wall clock of processes that are started with it; what else tells them the time goes on evenly. */
export interface WallClock {
  /** The variables that a process is started with. */
  readonly environment: Readonly<Record<string, string>>;
  /** From now on it is so many seconds from the right time. */
  jumpTo(seconds: number): void;
  remove(): void;
}

/** Where Debian's package `faketime` has it, by the machine's kind. */
const LIBRARIES = ['x86_64', 'aarch64'].map((kind) => `/usr/lib/${kind}-linux-gnu/faketime/libfaketimeMT.so.1`);

/** A wall clock that is right at first; undefined where faketime is not installed. */
export function makeWallClock(): WallClock | undefined {
  const library = LIBRARIES.find((path) => existsSync(path));
  if (library === undefined) return undefined;
  const folder = makeTemporaryFolder();
  const file = join(folder.path, 'offset');
  const jumpTo = (seconds: number) => writeFileSync(file, seconds < 0 ? `${seconds}` : `+${seconds}`);
  jumpTo(0);
  return {
    environment: {
      LD_PRELOAD: library,
      FAKETIME_TIMESTAMP_FILE: file,
      FAKETIME_DONT_FAKE_MONOTONIC: '1',
      // Otherwise it would look at the file every ten seconds.
      FAKETIME_NO_CACHE: '1',
    },
    jumpTo,
    remove: folder.remove,
  };
}
