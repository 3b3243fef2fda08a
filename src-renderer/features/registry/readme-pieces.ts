/** The most characters and lines drawn at a time: a few thousand can take longer than a frame, whatever they say. */
const MAX_PIECE_LENGTH = 2_048;
const MAX_PIECE_LINES = 100;
/** The most characters drawn at all. A longer text is a mistake, or is meant to keep the page busy. */
export const MAX_SHOWN_LENGTH = 64 * 1_024;

export interface ReadmePieces {
  /** Each is complete Markdown. */
  readonly pieces: readonly string[];
  /** Whether the text is longer than the pieces together. */
  readonly isShortened: boolean;
}

/**
 * Cuts a Markdown text where a new block begins, or where a piece would become too long. A block of code that is cut is
 * closed and opened again.
 */
export function readmePieces(markdown: string): ReadmePieces {
  const text = markdown.slice(0, MAX_SHOWN_LENGTH);
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
    // An indented line may belong to a list above the blank line.
    const isNewBlock = wasBlank && fence === '' && /^\S/.test(line);
    if (
      piece.length + line.length > MAX_PIECE_LENGTH ||
      lines === MAX_PIECE_LINES ||
      (isNewBlock && (piece.length > MAX_PIECE_LENGTH / 2 || lines > MAX_PIECE_LINES / 2))
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

/** Lines with their line ends, none longer than a piece. */
function* linesOf(text: string): Generator<string> {
  for (let from = 0; from < text.length;) {
    const newline = text.indexOf('\n', from);
    const end = Math.min(newline === -1 ? text.length : newline + 1, from + MAX_PIECE_LENGTH);
    yield text.slice(from, end);
    from = end;
  }
}

/** The line that opened the block of code that continues after `line`; '' if there is none. */
function fenceAfter(fence: string, line: string): string {
  const [, mark = ''] = /^ {0,3}(`{3,32}|~{3,32})/.exec(line) ?? [];
  if (mark === '') return fence;
  if (fence === '') return line.trim().slice(0, 100);
  return line.trim() === mark && mark.startsWith(closingOf(fence)) ? '' : fence;
}

function closingOf(fence: string): string {
  return /^(`+|~+)/.exec(fence)?.[0] ?? '';
}
