/** Whether PostgreSQL can hold the text: it takes no NUL, and UTF-8 has no half of a surrogate pair. */
export function isStorable(text: string): boolean {
  return text.isWellFormed() && !text.includes('\0');
}

/** Counts characters as people, JSON Schema and PostgreSQL do: code points, not UTF-16 units. */
export function isLongerThan(text: string, characters: number): boolean {
  return text.length > characters && (text.length > 2 * characters || [...text].length > characters);
}
