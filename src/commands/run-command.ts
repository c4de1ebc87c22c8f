import { lineAbout } from '../process/failure.ts';

/** Runs a command. An error is printed as one line, with the exit code 1. */
export function runCommand(command: () => Promise<void>): void {
  command().catch((error: unknown) => {
    process.stderr.write(`${lineAbout(error)}\n`);
    process.exitCode = 1;
  });
}
