/** Whether PostgreSQL can store the text: it rejects NUL, and UTF-8 has no half of a surrogate pair. */
export function isStorable(text: string): boolean {
  return text.isWellFormed() && !text.includes('\0');
}

/** Whether the text is longer, in code points as JSON Schema and PostgreSQL count them, not in UTF-16 units. */
export function isLongerThan(text: string, characters: number): boolean {
  return text.length > characters && (text.length > 2 * characters || [...text].length > characters);
}

/** The noun with its article, by its sound: an entry, but a user and a unit. */
export function withArticle(noun: string): string {
  return `${/^([aeio]|u(?!ni|se))/.test(noun) ? 'an' : 'a'} ${noun}`;
}

export function capitalize(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** The text, shortened: by default to fit into a sentence. Strict clients reject JSON with half of a surrogate pair. */
export function shorten(text: string, max = 60): string {
  return (text.length <= max ? text : `${text.slice(0, max - 1)}…`).toWellFormed();
}

/** The host and the path of a URL, which may have a password. */
export function withoutSecrets(url: string): string {
  const { host, pathname } = new URL(url);
  return host + pathname;
}

/** A copy of a part of a text: the part itself would keep the whole text in memory. */
export function copyOf(part: string): string {
  return Buffer.from(part).toString();
}
