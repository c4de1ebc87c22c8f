import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { makeTemporaryFolder } from './temporary.ts';

/** The wall clock of the processes that are started with it; their monotonic clock is unchanged. */
export interface WallClock {
  /** The environment variables for a process. */
  readonly environment: Readonly<Record<string, string>>;
  /** Sets the offset from the right time, from now on. */
  jumpTo(seconds: number): void;
  remove(): void;
}

/** The paths of Debian's package `faketime`, by architecture. */
const LIBRARIES = ['x86_64', 'aarch64'].map((kind) => `/usr/lib/${kind}-linux-gnu/faketime/libfaketimeMT.so.1`);

/** A wall clock that is right at first; undefined without faketime. */
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
      // Otherwise faketime reads the file only every ten seconds.
      FAKETIME_NO_CACHE: '1',
    },
    jumpTo,
    remove: folder.remove,
  };
}
