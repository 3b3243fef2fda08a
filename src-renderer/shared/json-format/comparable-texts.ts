import { formatJson } from './format-json.ts';

/** Two texts as they are compared line by line. */
export interface ComparableTexts {
  readonly from: string;
  readonly to: string;
  /** Their layout is not that of the files. */
  readonly isFormatted: boolean;
}

/** Longer lines are hard to compare if they hold more than one long text. */
const LONG_LINE = 200;
/** A line that has more than this beside the contents of its texts holds several values. */
const LONG_WITHOUT_TEXTS = 80;
const style = { indent: '  ', eol: '\n' };

/**
 * Both texts formatted if one of them has no lines to compare: all of it is on one line, or lines are very long. Else,
 * and if one of them is not valid JSON, as they are.
 */
export function comparableTexts(from: string, to: string): ComparableTexts {
  const asTheyAre = { from, to, isFormatted: false };
  if (!hasNoLines(from) && !hasNoLines(to)) return asTheyAre;
  if (!isJsonOrEmpty(from) || !isJsonOrEmpty(to)) return asTheyAre;
  // Ends of lines after the last value are no difference worth a line here.
  const [before = '', after = ''] = [from, to].map((text) => formatJson(text, style).trimEnd());
  return { from: before, to: after, isFormatted: before !== from || after !== to };
}

function hasNoLines(text: string): boolean {
  const written = text.trim();
  if (!/[\r\n]/.test(written)) return /^[[{]\s*[^\s\]}]/.test(written);
  return written.split('\n').some(isLong);
}

function isLong(line: string): boolean {
  return line.length > LONG_LINE && line.replace(/"(?:[^"\\]|\\.)*"/g, '""').length > LONG_WITHOUT_TEXTS;
}

function isJsonOrEmpty(text: string): boolean {
  try {
    if (text.trim() !== '') JSON.parse(text.replace(/^\uFEFF/, ''));
    return true;
  } catch {
    // The answer is that it does not parse.
    return false;
  }
}
