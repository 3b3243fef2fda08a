import { changeBetween, withoutChange, type TextChange } from '../../../../shared/text-change.ts';

/**
 * The undo history of a text. Pure: each function makes a new history. A step
 * keeps only what changed, so that many steps in a large text cost little.
 */

/** One action of the person. */
export interface UndoStep extends TextChange {
  /** For people: "Change of max_rpm". */
  readonly label: string;
  /** Steps of one group that follow each other quickly join; '' never joins. */
  readonly group: string;
  /** Time of its last change, ms. */
  readonly at: number;
  /** Set for a merge of others' changes: undo keeps those and undoes the step before. */
  readonly merge?: MergedTexts;
}

/** The three texts of a merge. */
export interface MergedTexts {
  readonly base: string;
  readonly mine: string;
  readonly theirs: string;
}

/** A text with the last step of one's own undone. */
export interface UndoResult {
  readonly history: UndoHistory;
  readonly text: string;
  readonly step: UndoStep;
}

export interface UndoHistory {
  readonly done: readonly UndoStep[];
  readonly undone: readonly UndoStep[];
}

export const emptyHistory: UndoHistory = { done: [], undone: [] };
/** Older steps are forgotten. */
export const MAX_UNDO_STEPS = 75;

/** Records a step. It joins the last one if both have the same group, touch and are less than `joinMs` apart. */
export function recorded(history: UndoHistory, step: UndoStep, joinMs: number): UndoHistory {
  const last = history.done.at(-1);
  const mayJoin = last !== undefined && history.undone.length === 0 && step.group !== '' && step.group === last.group;
  const change = mayJoin && step.at - last.at < joinMs ? joinedChange(last, step) : undefined;
  if (change === undefined) return { done: [...history.done, step].slice(-MAX_UNDO_STEPS), undone: [] };
  const isNothing = change.removed === change.inserted;
  const before = history.done.slice(0, -1);
  return { done: isNothing ? before : [...before, { ...step, ...change }], undone: [] };
}

/**
 * Undoes the last step of one's own in `text`. After a merge that is the step before the merge, and the merge is
 * repeated without that step: others' changes stay. `merge` returns undefined for texts that do not parse; then the
 * step before is undone as well, until the texts parse. Undefined if there is nothing to undo.
 */
export function undoLast(
  history: UndoHistory,
  text: string,
  merge: (texts: MergedTexts) => string | undefined,
): UndoResult | undefined {
  const found = stepBack(history.done, text, merge);
  if (found === undefined) return undefined;
  const step = { ...found.step, ...changeBetween(found.text, text), group: '' };
  return { text: found.text, step, history: { done: found.done, undone: [...history.undone, step] } };
}

interface StepBack {
  readonly done: readonly UndoStep[];
  readonly text: string;
  readonly step: UndoStep;
}

function stepBack(
  done: readonly UndoStep[],
  text: string,
  merge: (texts: MergedTexts) => string | undefined,
): StepBack | undefined {
  const last = done.at(-1);
  if (last === undefined) return undefined;
  const rest = done.slice(0, -1);
  if (last.merge === undefined) return { done: rest, text: withoutChange(text, last), step: last };
  let found = stepBack(rest, last.merge.mine, merge);
  while (found !== undefined) {
    const texts = { ...last.merge, mine: found.text };
    const merged = merge(texts);
    if (merged !== undefined) {
      return { done: [...found.done, { ...last, merge: texts }], text: merged, step: found.step };
    }
    found = stepBack(found.done, found.text, merge);
  }
  return undefined;
}

/** The last step that is no merge; undefined if there is none. */
export function lastOwnStep(history: UndoHistory): UndoStep | undefined {
  return history.done.findLast((step) => step.merge === undefined);
}

export function redone(history: UndoHistory): UndoHistory {
  const last = history.undone.at(-1);
  if (last === undefined) return history;
  return { done: [...history.done, last], undone: history.undone.slice(0, -1) };
}

/** Two successive changes as one; undefined if they do not touch. */
function joinedChange(first: TextChange, second: TextChange): TextChange | undefined {
  const firstEnd = first.from + first.inserted.length;
  const secondEnd = second.from + second.removed.length;
  if (second.from > firstEnd || secondEnd < first.from) return undefined;
  return {
    from: Math.min(first.from, second.from),
    removed:
      second.removed.slice(0, Math.max(first.from - second.from, 0)) +
      first.removed +
      (secondEnd > firstEnd ? second.removed.slice(firstEnd - second.from) : ''),
    inserted:
      first.inserted.slice(0, Math.max(second.from - first.from, 0)) +
      second.inserted +
      (secondEnd < firstEnd ? first.inserted.slice(secondEnd - first.from) : ''),
  };
}
