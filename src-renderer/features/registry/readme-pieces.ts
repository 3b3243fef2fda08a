/** Characters and lines that are drawn at a time: a few thousand can take longer than a frame, whatever they say. */
const PIECE = 2_048;
const PIECE_LINES = 100;
/** Characters that are drawn at all. Published texts are this long only by mistake, or to keep a page busy. */
export const MOST_SHOWN = 64 * 1_024;

export interface ReadmePieces {
  /** Each is Markdown that stands for itself. */
  readonly pieces: readonly string[];
  /** Whether there is more of the text than they hold. */
  readonly isShortened: boolean;
}

/**
 * Cuts a Markdown text where a new block begins, or where a piece would be too long. A block of code that is cut is one
 * in each piece.
 */
export function readmePieces(markdown: string): ReadmePieces {
  const text = markdown.slice(0, MOST_SHOWN);
  const pieces: string[] = [];
  let piece = '';
  let fence = '';
  let lines = 0;
  const end = (): void => {
    if (piece.trim() !== '') pieces.push(fence === '' ? piece : `${piece}\n${closingOf(fence)}\n`);
    piece = fence === '' ? '' : `${fence}\n`;
    lines = 0;
  };
  let wasBlank = true;
  for (const line of linesOf(text)) {
    const isBlank = line.trim() === '';
    // What is indented may belong to a list above the blank line.
    const isNewBlock = wasBlank && fence === '' && /^\S/.test(line);
    if (
      piece.length + line.length > PIECE ||
      lines === PIECE_LINES ||
      (isNewBlock && (piece.length > PIECE / 2 || lines > PIECE_LINES / 2))
    )
      end();
    piece += line;
    lines++;
    fence = fenceAfter(fence, line);
    wasBlank = isBlank;
  }
  end();
  return { pieces, isShortened: text.length < markdown.length };
}

/** Lines with their ends, none longer than a piece. */
function* linesOf(text: string): Generator<string> {
  for (let from = 0; from < text.length;) {
    const newline = text.indexOf('\n', from);
    const end = Math.min(newline === -1 ? text.length : newline + 1, from + PIECE);
    yield text.slice(from, end);
    from = end;
  }
}

/** The line that opened the block of code in which the next line lies; '' for none. */
function fenceAfter(fence: string, line: string): string {
  const [, mark = ''] = /^ {0,3}(`{3,32}|~{3,32})/.exec(line) ?? [];
  if (mark === '') return fence;
  if (fence === '') return line.trim().slice(0, 100);
  return line.trim() === mark && mark.startsWith(closingOf(fence)) ? '' : fence;
}

function closingOf(fence: string): string {
  return /^(`+|~+)/.exec(fence)?.[0] ?? '';
}
