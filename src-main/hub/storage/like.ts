/** Escapes a text for a pattern of `LIKE ... ESCAPE '!'`. */
export function escaped(text: string): string {
  return text.replace(/[!%_]/g, '!$&');
}

/** A pattern for `LIKE ... ESCAPE '!'` that finds the lower-case text literally, anywhere. */
export function escapeLike(text: string): string {
  return `%${escaped(text.toLowerCase())}%`;
}
