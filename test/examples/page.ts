/** A step for the reader of a page of the documentation. */
export type Step =
  | { readonly kind: 'file'; readonly line: number; readonly name: string; readonly text: string }
  | { readonly kind: 'command'; readonly line: number; readonly command: string; readonly prints: string | undefined };

const FENCE = /^```(\w*)$/;
const FILE_NAME = /^(?:\/\/|#) (\S+\.\w+)$/;

/**
 * The steps of a Markdown page in order. A code block whose first line is a comment with a file name is that file. In a
 * `console` block each line that begins with `$ ` is a command; the lines after it are its output.
 */
export function stepsOf(page: string): readonly Step[] {
  const steps: Step[] = [];
  const lines = page.split('\n');
  for (let start = 0; start < lines.length; start++) {
    const [, language] = FENCE.exec(lines[start] ?? '') ?? [];
    if (language === undefined) continue;
    const end = lines.indexOf('```', start + 1);
    const block = lines.slice(start + 1, end);
    const [, name] = FILE_NAME.exec(block[0] ?? '') ?? [];
    if (name !== undefined) steps.push({ kind: 'file', line: start + 2, name, text: `${block.join('\n')}\n` });
    if (language === 'console') steps.push(...commandsIn(block, start + 2));
    start = end;
  }
  return steps;
}

/** A command that ends with a backslash continues in the next line. */
function commandsIn(block: readonly string[], firstLine: number): Step[] {
  const steps: Step[] = [];
  for (let at = 0; at < block.length; ) {
    const line = firstLine + at;
    let command = (block[at++] ?? '').replace(/^\$ /, '');
    while (command.endsWith('\\')) command += `\n${block[at++] ?? ''}`;
    const printed = [];
    while (at < block.length && !block[at]?.startsWith('$ ')) printed.push(block[at++]);
    steps.push({ kind: 'command', line, command, prints: printed.length > 0 ? printed.join('\n') : undefined });
  }
  return steps;
}

/** Whether the output is that of the page, where `...` stands for any text. */
export function isAsDocumented(printed: string, documented: string): boolean {
  const parts = documented.split('...').map((part) => part.replace(/[$()*+.?[\\\]^{|}]/g, '\\$&'));
  return new RegExp(`^${parts.join('[^]*')}$`).test(printed.replaceAll('\r', '').trimEnd());
}
