import { operatorMessage } from '../process/operator-message.ts';

/** Runs a command. An error is printed as one line, with the exit code 1; after one in its arguments comes the usage. */
export function runCommand(usage: string, command: () => Promise<void>): void {
  command().catch((error: unknown) => {
    const isMisused = error instanceof Error && 'code' in error && String(error.code).startsWith('ERR_PARSE_ARGS_');
    // Node's advice on arguments that begin with a dash, after the first sentence, fits no command.
    const lines = isMisused ? `${error.message.split('. To ', 1)}\n${usage}` : operatorMessage(error);
    process.stderr.write(`${lines}\n`);
    process.exitCode = 1;
  });
}
