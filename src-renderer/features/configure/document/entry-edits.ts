import { joinPointer } from '../../../../proto/config/json-pointer.ts';
import type { Text } from '../../../shared/text.ts';
import { insertItem, RawJson, removeValue, setValue } from './document-edits.ts';
import { findEntry, type DocumentEntry, type DocumentModel, type Reference, type Section } from './document-model.ts';
import type { DraftEditing } from './draft-editing.ts';
import { locate, type JsonPath } from './json-scan.ts';
import { pathOfPointer } from './json-values.ts';

/** What forms do to the draft. Each call is one step of the history, and none does anything while the text is broken. */
export function useEntryEdits(editing: DraftEditing, t: Text) {
  return {
    /** Undefined removes. The same path again within a second is the same step. */
    set(path: (string | number)[], value: unknown, label: string): void {
      const field = path.reduce<string>((pointer, step) => joinPointer(pointer, step), '');
      editing.editField(field, label, (text) => setValue(text, path, value));
    },
    addEntry(section: Section, value: Record<string, unknown>, label: string): void {
      editing.edit((text) => insertItem(text, [section], Number.MAX_SAFE_INTEGER, value), { label });
    },
    removeEntry(entry: DocumentEntry): void {
      const label = t('history.removed', { name: entry.name });
      editing.edit((text, model) => removeValue(text, pathOf(model, entry)), { label });
    },
    /** Puts an entry of the applied text back where it was, as it is written there. */
    bringBack(entry: DocumentEntry): void {
      const written = editing.draft.value?.base.text.slice(entry.from, entry.to) ?? '';
      const label = t('resources.broughtBack', { name: entry.name });
      editing.edit((text) => insertItem(text, [entry.section], entry.index, new RawJson(written)), { label });
    },
    /** A copy right behind it, written as it is. */
    duplicateEntry(entry: DocumentEntry, name: string): void {
      const label = t('history.duplicated', { name: entry.name });
      editing.edit(
        (text, model) => {
          const path = pathOf(model, entry);
          const place = locate(text, path);
          if (place === undefined) return text;
          const copy = setValue(text.slice(place.start, place.end), ['name'], name);
          return insertItem(text, path.slice(0, -1), Number(path.at(-1)) + 1, new RawJson(copy));
        },
        { label },
      );
    },
    /** The given references follow, each in its own spelling; one that says something else by now is left alone. */
    rename(entry: DocumentEntry, name: string, references: readonly Reference[]): void {
      const label = t('history.renamed', { name: entry.name, to: name });
      editing.edit(
        (text, model) => {
          let result = setValue(text, [...pathOf(model, entry), 'name'], name);
          for (const { pointer, now } of references) {
            const path = pathOfPointer(model.root, pointer);
            const place = path && locate(result, path);
            if (path === undefined || place === undefined) continue;
            if (JSON.parse(result.slice(place.start, place.end)) !== now) continue;
            result = setValue(result, path, now.slice(0, now.length - entry.name.length) + name);
          }
          return result;
        },
        { label },
      );
    },
  };
}

/** Where an entry is now: it may have moved since the caller saw it. */
function pathOf(model: DocumentModel, entry: DocumentEntry): JsonPath {
  const isHere = model.entries.some(
    ({ pointer, fullName }) => pointer === entry.pointer && fullName === entry.fullName,
  );
  const { section, index } = isHere ? entry : (findEntry(model, entry.fullName) ?? entry);
  return [section, index];
}
