/** `removed` at `from` of a text became `inserted`. */
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

/** The smallest single change that leads from one text to another. */
export function changeBetween(from: string, to: string): TextChange {
  const longest = Math.min(from.length, to.length);
  let head = 0;
  while (head < longest && from.charCodeAt(head) === to.charCodeAt(head)) head += 1;
  let tail = 0;
  while (tail < longest - head && from.charCodeAt(from.length - 1 - tail) === to.charCodeAt(to.length - 1 - tail)) {
    tail += 1;
  }
  return { from: head, removed: from.slice(head, from.length - tail), inserted: to.slice(head, to.length - tail) };
}
