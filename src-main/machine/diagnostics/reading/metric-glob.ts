/**
 * Whether a full name matches a pattern in which `*` stands for any characters and `?` for one, ignoring case. The time
 * is at most proportional to the product of both lengths, whatever the pattern.
 */
export function fitsGlob(pattern: string, name: string): boolean {
  const [wanted, found] = [pattern.toLowerCase(), name.toLowerCase()];
  let at = 0;
  let place = 0;
  let star = -1;
  let retry = 0;
  while (place < found.length) {
    if (wanted[at] === '*') {
      star = at++;
      retry = place;
    } else if (at < wanted.length && (wanted[at] === '?' || wanted[at] === found[place])) {
      at++;
      place++;
    } else if (star >= 0) {
      at = star + 1;
      place = ++retry;
    } else return false;
  }
  while (wanted[at] === '*') at++;
  return at === wanted.length;
}
