const USUAL = '1';
const byNumber = new Intl.Collator('en', { numeric: true });

/**
 * A version that comes after all that are taken: the last number of the greatest one, and one more.
 * @param taken in no order
 */
export function nextVersion(taken: readonly string[]): string {
  const greatest = [...taken].sort(byNumber.compare).at(-1);
  if (greatest === undefined) return USUAL;
  const [, before = '', number] = /^(.*?)(\d{1,15})$/.exec(greatest) ?? [];
  if (number === undefined) return `${greatest}-2`;
  return `${before}${String(Number(number) + 1).padStart(number.length, '0')}`;
}
