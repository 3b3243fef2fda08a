import type { PictureLabels } from './picture-labels.ts';

/** Steps that can be taken back. */
const MOST_STEPS = 200;

/** What a picture's labels were, are, and were before something was taken back. One history a picture. */
export interface LabelHistory {
  readonly past: readonly PictureLabels[];
  readonly present: PictureLabels;
  readonly future: readonly PictureLabels[];
  /** What the last step was about: the next step about the same goes into it. '' for a step of its own. */
  readonly subject: string;
}

export function beginHistory(present: PictureLabels): LabelHistory {
  return { past: [], present, future: [], subject: '' };
}

/**
 * A step. Those in a row about one subject are one: a box that is nudged twenty times comes back with one press.
 * @param subject `move 3f2a`; '' for a step of its own
 */
export function changed(history: LabelHistory, next: PictureLabels, subject: string): LabelHistory {
  const isSame = subject !== '' && subject === history.subject;
  const past = isSame ? history.past : [...history.past, history.present].slice(-MOST_STEPS);
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
