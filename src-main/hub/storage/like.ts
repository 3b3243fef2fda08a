/** A text as it is in a pattern for `LIKE ... ESCAPE '!'`. */
export function escaped(text: string): string {
  return text.replace(/[!%_]/g, '!$&');
}

/** A pattern for `LIKE ... ESCAPE '!'` that finds a text in small letters anywhere, taken as it is. */
export function escapeLike(text: string): string {
  return `%${escaped(text.toLowerCase())}%`;
}
