import type { TestedPicture, TestVerdict } from '../../../shared/machine/data/inference-calls.ts';

/** The totals of a test so far. */
export interface TestTotals extends Readonly<Record<TestVerdict, number>> {
  /** Pictures with labels that the model knows; only they show whether it is right. */
  readonly judged: number;
  /** Right answers in percent of the judged pictures, rounded down; undefined where none is judged. */
  readonly percent: number | undefined;
}

export function totalsOf(pictures: readonly Pick<TestedPicture, 'verdict'>[]): TestTotals {
  const counts = { right: 0, wrong: 0, unlabelled: 0, failed: 0 };
  for (const { verdict } of pictures) counts[verdict]++;
  const judged = counts.right + counts.wrong;
  return { ...counts, judged, percent: judged === 0 ? undefined : Math.floor((counts.right / judged) * 100) };
}
