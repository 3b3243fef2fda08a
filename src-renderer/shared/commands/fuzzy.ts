/** How well a text answers what was typed: higher is better, undefined is not at all. Each typed word must be answered. */
export function fuzzyScore(typed: string, title: string, detail = ''): number | undefined {
  let sum = 0;
  for (const word of typed.toLocaleLowerCase().split(/\s+/).filter(Boolean)) {
    // What something is called counts more than what is said of it.
    const best = Math.max(wordScore(word, title.toLocaleLowerCase()), wordScore(word, detail.toLocaleLowerCase()) / 2);
    if (best === 0) return undefined;
    sum += best;
  }
  // Of two that fit alike the shorter is closer to what was typed.
  return sum - title.length / 1000;
}

/** 5 begins the text, 4 begins a word, 3 is inside, 2 are first letters of words, 1 are letters in order; 0 is none. */
function wordScore(word: string, text: string): number {
  if (text.startsWith(word)) return 5;
  const parts = text.split(/[^\p{L}\p{N}]+/u).filter(Boolean);
  if (parts.some((part) => part.startsWith(word))) return 4;
  if (text.includes(word)) return 3;
  if (
    parts
      .map((part) => part[0])
      .join('')
      .includes(word)
  )
    return 2;
  return parts.some((part) => hasInOrder(part, word)) ? 1 : 0;
}

/** `clmt` is in `climate`. The first letter must be the first: else a few letters would find anything. */
function hasInOrder(text: string, letters: string): boolean {
  if (letters.length < 3 || text[0] !== letters[0]) return false;
  let from = 0;
  for (const letter of letters) {
    const at = text.indexOf(letter, from);
    if (at < 0) return false;
    from = at + 1;
  }
  return true;
}
