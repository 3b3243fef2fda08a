import type { ConfusionMatrix } from '../../../../proto/gen/core/hub/v1/training.ts';

/** A matrix with more labels is told by its mistakes: nobody reads so many numbers. */
export const mostShownLabels = 30;
const mostMistakes = 20;

/** How often the model said something else than what is true. */
export interface Mistake {
  /** '' is background. */
  readonly truth: string;
  readonly answer: string;
  readonly count: number;
  /** Of all that are true. */
  readonly share: number;
}

/** How a model does with one of several labels that a picture may have. */
export interface LabelResult {
  readonly label: string;
  readonly found: number;
  readonly missed: number;
  readonly wrong: number;
}

/** The mistakes that were made most often first. */
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
    .slice(0, mostMistakes);
}

/** A table of labels where a picture may have several: each matrix has rows and columns without it, and with it. */
export function labelResults(matrices: readonly ConfusionMatrix[]): readonly LabelResult[] {
  const count = ({ rows }: ConfusionMatrix, truth: number, answer: number): number => rows[truth]?.counts[answer] ?? 0;
  return matrices.map((matrix) => ({
    label: matrix.label,
    found: count(matrix, 1, 1),
    missed: count(matrix, 1, 0),
    wrong: count(matrix, 0, 1),
  }));
}

/** How strongly a cell is shaded, from 0 to 1: by its share of what is true. */
export function shareOf({ rows }: ConfusionMatrix, truth: number, answer: number): number {
  const counts = rows[truth]?.counts ?? [];
  const all = counts.reduce((sum, count) => sum + count, 0);
  return all === 0 ? 0 : (counts[answer] ?? 0) / all;
}
