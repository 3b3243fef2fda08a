const FIRST_VERSION = '1';
const byNumber = new Intl.Collator('en', { numeric: true });

/**
 * A version after all that are taken: the greatest one, with its last number increased by one.
 * @param taken in any order
 */
export function nextVersion(taken: readonly string[]): string {
  const greatest = [...taken].sort(byNumber.compare).at(-1);
  if (greatest === undefined) return FIRST_VERSION;
  const [, before = '', number] = /^(.*?)(\d{1,15})$/.exec(greatest) ?? [];
  if (number === undefined) return `${greatest}-2`;
  return `${before}${String(Number(number) + 1).padStart(number.length, '0')}`;
}
