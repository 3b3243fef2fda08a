import type { TestedPicture, TestVerdict } from '../../../shared/machine/data/inference-calls.ts';

/** What a test has found so far. */
export interface TestTotals extends Readonly<Record<TestVerdict, number>> {
  /** Pictures with labels that the model knows: the others prove nothing. */
  readonly judged: number;
  /** Right answers of 100 judged pictures, rounded down so that 100 is all of them; undefined where none is judged. */
  readonly percent: number | undefined;
}

export function totalsOf(pictures: readonly Pick<TestedPicture, 'verdict'>[]): TestTotals {
  const counts = { right: 0, wrong: 0, unlabelled: 0, failed: 0 };
  for (const { verdict } of pictures) counts[verdict]++;
  const judged = counts.right + counts.wrong;
  return { ...counts, judged, percent: judged === 0 ? undefined : Math.floor((counts.right / judged) * 100) };
}
