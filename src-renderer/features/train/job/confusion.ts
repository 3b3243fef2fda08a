import type { ConfusionMatrix } from '../../../../proto/gen/core/hub/v1/training.ts';

/** For more labels, only the mistakes are listed: nobody reads so large a matrix. */
export const MAX_SHOWN_LABELS = 30;
const MAX_MISTAKES = 20;

/** How often the model gave a wrong answer for a true label. */
export interface Mistake {
  /** '' means background. */
  readonly truth: string;
  readonly answer: string;
  readonly count: number;
  /** Share of all cases with this true label. */
  readonly share: number;
}

/** Results for one label where a picture may have several. */
export interface LabelResult {
  readonly label: string;
  readonly found: number;
  readonly missed: number;
  readonly wrong: number;
}

/** The mistakes, the most frequent first. */
export function mistakesOf({ names, rows }: ConfusionMatrix): readonly Mistake[] {
  return rows
    .flatMap(({ counts }, truth) => {
      const all = counts.reduce((sum, count) => sum + count, 0);
      return counts.flatMap((count, answer) =>
        truth === answer || count === 0
          ? []
          : [{ truth: names[truth] ?? '', answer: names[answer] ?? '', count, share: count / all }],
      );
    })
    .sort((a, b) => b.count - a.count)
    .slice(0, MAX_MISTAKES);
}

/** Results by label where a picture may have several. In each matrix, index 0 means without the label and 1 with it. */
export function labelResults(matrices: readonly ConfusionMatrix[]): readonly LabelResult[] {
  const count = ({ rows }: ConfusionMatrix, truth: number, answer: number): number => rows[truth]?.counts[answer] ?? 0;
  return matrices.map((matrix) => ({
    label: matrix.label,
    found: count(matrix, 1, 1),
    missed: count(matrix, 1, 0),
    wrong: count(matrix, 0, 1),
  }));
}

/** Share of an answer among all cases with a true label, 0 to 1. */
export function shareOf({ rows }: ConfusionMatrix, truth: number, answer: number): number {
  const counts = rows[truth]?.counts ?? [];
  const all = counts.reduce((sum, count) => sum + count, 0);
  return all === 0 ? 0 : (counts[answer] ?? 0) / all;
}
