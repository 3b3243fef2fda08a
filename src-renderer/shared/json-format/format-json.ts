/** How a formatted text is laid out. */
export interface FormatStyle {
  /** One step of indentation. */
  readonly indent: string;
  readonly eol: string;
}

/** A string, a bracket, a sign or a scalar. Matches every character of valid JSON that is no white space. */
const tokens = /"(?:[^"\\]|\\[^])*"|[{}[\],:]|[^\s{}[\],:"]+/g;

/**
 * A JSON text with each key and each item on a line of its own. Only white space changes: keys, numbers and texts stay
 * spelled as they are, in their order. The text must be valid JSON or empty; a byte order mark and a line end
 * after the last value stay.
 */
export function formatJson(text: string, { indent, eol }: FormatStyle): string {
  const written: string[] = [];
  let depth = 0;
  let before = '';
  const breakLine = (): void => void written.push(eol, indent.repeat(depth));
  for (const [token] of text.matchAll(tokens)) {
    const isOpened = before === '{' || before === '[';
    if (token === '}' || token === ']') {
      depth -= 1;
      if (!isOpened) breakLine();
    } else if (isOpened || before === ',') breakLine();
    else if (before === ':') written.push(' ');
    written.push(token);
    if (token === '{' || token === '[') depth += 1;
    before = token;
  }
  const mark = text.startsWith('\uFEFF') ? '\uFEFF' : '';
  const hasEnd = before !== '' && /[\r\n]/.test(text.slice(text.trimEnd().length));
  return mark + written.join('') + (hasEnd ? eol : '');
}
