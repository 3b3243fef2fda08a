/** At offset `from` of a text, `removed` was replaced by `inserted`. */
export interface TextChange {
  readonly from: number;
  readonly removed: string;
  readonly inserted: string;
}

export function withChange(text: string, { from, removed, inserted }: TextChange): string {
  return text.slice(0, from) + inserted + text.slice(from + removed.length);
}

export function withoutChange(text: string, { from, removed, inserted }: TextChange): string {
  return text.slice(0, from) + removed + text.slice(from + inserted.length);
}

/** Equal parts of this length are skipped at once. */
const step = 4096;

/** The smallest single change that turns one text into the other. */
export function changeBetween(from: string, to: string): TextChange {
  const longest = Math.min(from.length, to.length);
  let head = 0;
  while (head + step <= longest && from.slice(head, head + step) === to.slice(head, head + step)) head += step;
  while (head < longest && from.charCodeAt(head) === to.charCodeAt(head)) head += 1;
  let tail = 0;
  const rest = longest - head;
  const ends = (text: string): string => text.slice(text.length - tail - step, text.length - tail);
  while (tail + step <= rest && ends(from) === ends(to)) tail += step;
  while (tail < rest && from.charCodeAt(from.length - 1 - tail) === to.charCodeAt(to.length - 1 - tail)) tail += 1;
  return { from: head, removed: from.slice(head, from.length - tail), inserted: to.slice(head, to.length - tail) };
}
