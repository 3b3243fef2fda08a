/** How well a text matches what was typed: higher is better, undefined is no match. Each typed word must match. */
export function fuzzyScore(typed: string, title: string, detail = ''): number | undefined {
  let sum = 0;
  for (const word of typed.toLocaleLowerCase().split(/\s+/).filter(Boolean)) {
    // The title counts more than the detail.
    const best = Math.max(wordScore(word, title.toLocaleLowerCase()), wordScore(word, detail.toLocaleLowerCase()) / 2);
    if (best === 0) return undefined;
    sum += best;
  }
  // Of two equal matches the shorter title is closer to what was typed.
  return sum - title.length / 1000;
}

/** 5: starts the text, 4: starts a word, 3: inside, 2: first letters of words, 1: letters in order, 0: no match. */
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

/** `clmt` is in `climate`. The first letters must be equal, or a few letters would match anything. */
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
