import type { TextChange } from '../../../shared/text-change.ts';

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

export function undone(history: UndoHistory): UndoHistory {
  const last = history.done.at(-1);
  if (last === undefined) return history;
  return { done: history.done.slice(0, -1), undone: [...history.undone, { ...last, group: '' }] };
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
