/** A table in Markdown with aligned columns: numbers to the right, text to the left. */
export function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const columns = head.map((title, at) => {
    const cells = rows.map((row) => row[at] ?? '');
    const width = Math.max(3, title.length, ...cells.map((cell) => cell.length));
    return { width, isNumeric: cells.every((cell) => /^[\d., -]*$/.test(cell)) };
  });
  const line = (cells: readonly string[]) => {
    const padded = columns.map(({ width, isNumeric }, at) =>
      isNumeric ? (cells[at] ?? '').padStart(width) : (cells[at] ?? '').padEnd(width),
    );
    return `| ${padded.join(' | ')} |`;
  };
  const rule = columns.map(({ width, isNumeric }) => (isNumeric ? `${'-'.repeat(width - 1)}:` : '-'.repeat(width)));
  return [line(head), line(rule), ...rows.map(line)].join('\n');
}

/** A whole number with thousands separators; a dash for a missing value. */
export function whole(value: number | undefined): string {
  return value === undefined ? '-' : Math.round(value).toLocaleString('en');
}

/** With two decimals. */
export function fine(value: number): string {
  return value.toFixed(2);
}
