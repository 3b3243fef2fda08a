/** What counts as right in a test of a classifier on labelled pictures. */

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

/** A model that may give several labels gives those with at least this confidence. */
export const SURE = 0.5;

/** @param uploadedAt wall-clock milliseconds */
export function isTestable(uploadedAt: number): boolean {
  return uploadedAt >= FIRST_TESTED_MS;
}

/**
 * Which answers of a model count: its surest label or, if it may give several, each with at least {@link SURE}.
 * @param surestFirst of all labels of the model
 */
export function answersThatCount(
  surestFirst: readonly ClassifierAnswer[],
  mayGiveSeveral: boolean,
): readonly ClassifierAnswer[] {
  return mayGiveSeveral ? surestFirst.filter(({ confidence }) => confidence >= SURE) : surestFirst.slice(0, 1);
}

/**
 * Whether the answers that count are right. If a picture has several labels and the model gives one, any of them is
 * right; a model that may give several has to give all of them and no other. A picture with no label that the model
 * knows is `unlabelled`.
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
