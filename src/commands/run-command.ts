import { operatorMessage } from '../process/operator-message.ts';

/**
 * Runs a command, or prints its usage for `--help`. An error is printed as one line, with the exit code 1; after one in
 * its arguments comes the usage.
 *
 * @param repeatable the options that may be given several times
 */
export function runCommand(usage: string, command: () => Promise<void>, repeatable: readonly string[] = []): void {
  const run = async () => {
    if (process.argv.includes('--help')) return void process.stdout.write(`${usage}\n`);
    assertNoneRepeated(repeatable);
    await command();
  };
  run().catch((error: unknown) => {
    const isMisused =
      error instanceof Misuse ||
      (error instanceof Error && 'code' in error && String(error.code).startsWith('ERR_PARSE_ARGS_'));
    // Node's advice on arguments that begin with a dash, after the first sentence, fits no command.
    const lines = isMisused ? `${error.message.split('. To ', 1)}\n${usage}` : operatorMessage(error);
    process.stderr.write(`${lines}\n`);
    process.exitCode = 1;
  });
}

/** What is wrong with the arguments: printed with the usage. */
class Misuse extends Error {}

/**
 * Rejects the options that a subcommand would ignore.
 *
 * @param accepted the options of each subcommand that does not accept all of them
 */
export function assertAccepted(
  values: object,
  subcommand: string | undefined,
  accepted: Readonly<Record<string, readonly string[]>>,
): void {
  const [, options] = Object.entries(accepted).find(([name]) => name === subcommand) ?? [];
  const excess = Object.keys(values).find((option) => options?.includes(option) === false);
  if (excess !== undefined) throw new Misuse(`${subcommand} takes no --${excess}.`);
}

/** Of an option that is repeated, only the last value would count. */
function assertNoneRepeated(repeatable: readonly string[]): void {
  const options = process.argv.slice(2).flatMap((argument) => /^--[^=]+/.exec(argument) ?? []);
  const repeated = options.find((option, at) => options.indexOf(option) < at && !repeatable.includes(option));
  if (repeated !== undefined) throw new Error(`${repeated} is given twice; give it once.`);
}
