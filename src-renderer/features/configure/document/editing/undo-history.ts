import { changeBetween, withoutChange, type TextChange } from '../../../../shared/text-change.ts';

/**
 * Steps of a text that can be taken back. Pure: each function makes a new
 * history. Only what changed is kept of a step, so that many steps in a large
 * text cost little.
 */

/** One meant action. */
export interface UndoStep extends TextChange {
  /** For people: "Change of max_rpm". */
  readonly label: string;
  /** Steps of one group join while they follow each other quickly; '' never joins. */
  readonly group: string;
  /** Time of its last change, ms. */
  readonly at: number;
  /** Set where others' changes came in: they stay, and what is taken back is the step before. */
  readonly merge?: MergedTexts;
}

/** What a merge was made of. */
export interface MergedTexts {
  readonly base: string;
  readonly mine: string;
  readonly theirs: string;
}

/** A text with the last step of one's own taken back. */
export interface TakenBack {
  readonly history: UndoHistory;
  readonly text: string;
  readonly step: UndoStep;
}

export interface UndoHistory {
  readonly done: readonly UndoStep[];
  readonly undone: readonly UndoStep[];
}

export const emptyHistory: UndoHistory = { done: [], undone: [] };
/** The oldest steps beyond so many are forgotten. */
export const longestHistory = 75;

/** A new step. It joins the last one where both are of one group, touch each other and are less than `joinMs` apart. */
export function recorded(history: UndoHistory, step: UndoStep, joinMs: number): UndoHistory {
  const last = history.done.at(-1);
  const mayJoin = last !== undefined && history.undone.length === 0 && step.group !== '' && step.group === last.group;
  const change = mayJoin && step.at - last.at < joinMs ? joinedChange(last, step) : undefined;
  if (change === undefined) return { done: [...history.done, step].slice(-longestHistory), undone: [] };
  const isNothing = change.removed === change.inserted;
  const before = history.done.slice(0, -1);
  return { done: isNothing ? before : [...before, { ...step, ...change }], undone: [] };
}

/**
 * Takes back the last step of one's own from `text`. Behind a merge that is the step before it, and the merge is made
 * again without that step: what others changed stays. `merge` answers undefined for texts that do not parse; a step that
 * led from such a text is taken back together with those before it. Undefined where there is nothing to take back.
 */
export function takenBack(
  history: UndoHistory,
  text: string,
  merge: (texts: MergedTexts) => string | undefined,
): TakenBack | undefined {
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

/** The last step of one's own; undefined where there is none. */
export function lastOwn(history: UndoHistory): UndoStep | undefined {
  return history.done.findLast((step) => step.merge === undefined);
}

export function redone(history: UndoHistory): UndoHistory {
  const last = history.undone.at(-1);
  if (last === undefined) return history;
  return { done: [...history.done, last], undone: history.undone.slice(0, -1) };
}

/** Two changes after each other as one; undefined where they do not touch. */
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
