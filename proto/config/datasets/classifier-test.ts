/** What a test of a classifier on labelled pictures calls right. */

/** What a classifier says of a picture. */
export interface ClassifierAnswer {
  readonly label: string;
  /** 0 to 1. */
  readonly confidence: number;
}

export type AnswerVerdict = 'right' | 'wrong' | 'unlabelled';

/** Models that were uploaded up to the end of this day, in UTC, cannot be tested. */
export const LAST_UNTESTED_DAY = '2023-09-19';
const FIRST_TESTED_MS = Date.UTC(2023, 8, 20);

/** A model that may give several labels gives those that it is at least so sure of. */
export const SURE = 0.5;

/** @param uploadedAt wall-clock milliseconds */
export function isTestable(uploadedAt: number): boolean {
  return uploadedAt >= FIRST_TESTED_MS;
}

/**
 * What counts of all that a model says: its surest label or, of one that may give several, each that it is sure of.
 * @param surestFirst of all labels of the model
 */
export function answersThatCount(
  surestFirst: readonly ClassifierAnswer[],
  mayGiveSeveral: boolean,
): readonly ClassifierAnswer[] {
  return mayGiveSeveral ? surestFirst.filter(({ confidence }) => confidence >= SURE) : surestFirst.slice(0, 1);
}

/**
 * Whether answers that count are right. Where a picture has several labels and the model gives one, any of them is; a model
 * that may give several has to give all of them and no other. A picture without labels that the model knows proves nothing.
 * @param labels of the picture, of those that the model knows
 */
export function verdictOf(
  answers: readonly ClassifierAnswer[],
  labels: readonly string[],
  mayGiveSeveral: boolean,
): AnswerVerdict {
  if (labels.length === 0) return 'unlabelled';
  const given = new Set(answers.map(({ label }) => label));
  const isRight = mayGiveSeveral
    ? given.size === labels.length && labels.every((label) => given.has(label))
    : labels.some((label) => given.has(label));
  return isRight ? 'right' : 'wrong';
}
