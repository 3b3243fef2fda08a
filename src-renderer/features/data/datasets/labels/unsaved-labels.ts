import { keepText, keptText } from '../../../../shared/kept-text.ts';
import type { LabelBox, LabelChange } from './picture-labels.ts';

const keyOf = (datasetId: string): string => `armature.unsaved-labels.${datasetId}`;
const storage = (): Storage => localStorage;

/** The unsaved changes of a dataset's pictures, by id, as stored in this browser. */
export function keptUnsaved(datasetId: string): ReadonlyMap<string, LabelChange> {
  return unsavedFrom(keptText(storage, keyOf(datasetId)));
}

/** @returns whether the changes could be stored */
export function keepUnsaved(datasetId: string, unsaved: ReadonlyMap<string, LabelChange>): boolean {
  return keepText(storage, keyOf(datasetId), unsaved.size === 0 ? null : JSON.stringify([...unsaved]));
}

/** Parses stored changes. Invalid entries are left out: another version of the page may have written them. */
export function unsavedFrom(text: string | null): ReadonlyMap<string, LabelChange> {
  let kept: unknown;
  try {
    kept = JSON.parse(text ?? '[]');
  } catch {
    return new Map();
  }
  const entries = Array.isArray(kept) ? kept.filter((entry: unknown) => isEntry(entry)) : [];
  return new Map(entries);
}

function isEntry(entry: unknown): entry is [string, LabelChange] {
  if (!Array.isArray(entry)) return false;
  const [id, change] = entry as [unknown, Partial<Record<keyof LabelChange, unknown>> | null];
  if (typeof id !== 'string' || typeof change !== 'object' || change === null) return false;
  const texts = [change.remove, change.addTags, change.removeTags];
  return texts.every(isTexts) && Array.isArray(change.put) && change.put.every(isBox);
}

function isTexts(value: unknown): boolean {
  return Array.isArray(value) && value.every((each) => typeof each === 'string');
}

function isBox(value: unknown): value is LabelBox {
  if (typeof value !== 'object' || value === null) return false;
  const { id, label, edges } = value as Record<keyof LabelBox, unknown>;
  if (typeof id !== 'string' || typeof label !== 'string' || typeof edges !== 'object' || edges === null) return false;
  const found = edges as Record<string, unknown>;
  return ['left', 'top', 'right', 'bottom'].every((edge) => typeof found[edge] === 'number');
}
