import type { PictureLabels } from './picture-labels.ts';

/** Steps that can be undone. */
const MAX_STEPS = 200;

/** The undo history of one picture's labels: earlier states, the current one, and those that were undone. */
export interface LabelHistory {
  readonly past: readonly PictureLabels[];
  readonly present: PictureLabels;
  readonly future: readonly PictureLabels[];
  /** Subject of the last step: a next step with the same subject is merged into it. '' where it is not merged. */
  readonly subject: string;
}

export function beginHistory(present: PictureLabels): LabelHistory {
  return { past: [], present, future: [], subject: '' };
}

/**
 * Adds a step. Consecutive steps with the same subject become one: twenty nudges of a box are undone at once.
 * @param subject such as `move 3f2a`; '' for a step that is not merged
 */
export function changed(history: LabelHistory, next: PictureLabels, subject: string): LabelHistory {
  const isSame = subject !== '' && subject === history.subject;
  const past = isSame ? history.past : [...history.past, history.present].slice(-MAX_STEPS);
  return { past, present: next, future: [], subject };
}

export function undone(history: LabelHistory): LabelHistory {
  const before = history.past.at(-1);
  if (before === undefined) return history;
  const { past, present, future } = history;
  return { past: past.slice(0, -1), present: before, future: [present, ...future], subject: '' };
}

export function redone(history: LabelHistory): LabelHistory {
  const [next, ...future] = history.future;
  if (next === undefined) return history;
  return { past: [...history.past, history.present], present: next, future, subject: '' };
}
