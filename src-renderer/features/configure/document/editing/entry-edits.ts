import { joinPointer } from '../../../../../proto/config/text/json-pointer.ts';
import type { Text } from '../../../../shared/text.ts';
import { insertItem, RawJson, removeValue, setValue } from './document-edits.ts';
import type { DocumentEntry, DocumentModel, Reference, Section } from '../document-model.ts';
import type { DraftEditing } from './draft-editing.ts';
import { locate, type JsonPath } from './json-scan.ts';
import { pathOfPointer } from './json-values.ts';

/** What forms do to the draft. Each call is one step of the history, and none does anything while the text is broken. */
export function useEntryEdits(editing: DraftEditing, t: Text) {
  /** An edit at the place of an entry; nothing where the entry is gone, since another one stands there now. */
  function editEntry(
    entry: DocumentEntry,
    label: string,
    transform: (text: string, path: JsonPath, model: DocumentModel) => string,
  ): void {
    editing.edit(
      (text, model) => {
        const path = pathOf(model, entry);
        return path === undefined ? text : transform(text, path, model);
      },
      { label },
    );
  }

  return {
    /** Undefined removes. The same path again within a second is the same step. */
    set(path: (string | number)[], value: unknown, label: string): void {
      const field = path.reduce<string>((pointer, step) => joinPointer(pointer, step), '');
      editing.editField(field, label, (text) => setValue(text, path, value));
    },
    addEntry(section: Section, value: Record<string, unknown>, label: string): void {
      editing.edit((text) => withEntries(text, [{ section, value }]), { label });
    },
    /** Several that belong together, as one step. */
    addEntries(entries: readonly NewEntry[], label: string): void {
      editing.edit((text) => withEntries(text, entries), { label });
    },
    /** The attributes of an entry as a whole; only what differs is written. A step of its own, however quick the next is. */
    setAttributes(entry: DocumentEntry, attributes: Readonly<Record<string, unknown>>, label: string): void {
      editEntry(entry, label, (text, path) => setValue(text, [...path, 'attributes'], attributes));
    },
    removeEntry(entry: DocumentEntry): void {
      const label = t('history.removed', { name: entry.name });
      editEntry(entry, label, (text, path) => removeValue(text, path));
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
      editEntry(entry, label, (text, path) => {
        const place = locate(text, path);
        if (place === undefined) return text;
        const copy = setValue(text.slice(place.start, place.end), ['name'], name);
        return insertItem(text, path.slice(0, -1), Number(path.at(-1)) + 1, new RawJson(copy));
      });
    },
    /** The given references follow, each in its own spelling; one that says something else by now is left alone. */
    rename(entry: DocumentEntry, name: string, references: readonly Reference[]): void {
      const label = t('history.renamed', { name: entry.name, to: name });
      editEntry(entry, label, (text, own, model) => {
        let result = setValue(text, [...own, 'name'], name);
        for (const { pointer, now, renamed } of references) {
          const path = pathOfPointer(model.root, pointer);
          const place = path && locate(result, path);
          if (path === undefined || place === undefined) continue;
          if (JSON.parse(result.slice(place.start, place.end)) !== now) continue;
          result = setValue(result, path, renamed);
        }
        return result;
      });
    },
  };
}

/** An entry to be put last in its section. */
export interface NewEntry {
  readonly section: Section;
  readonly value: Readonly<Record<string, unknown>>;
}

function withEntries(text: string, entries: readonly NewEntry[]): string {
  return entries.reduce(
    (before, { section, value }) => insertItem(before, [section], Number.MAX_SAFE_INTEGER, value),
    text,
  );
}

/** Where an entry is now, as it may have moved since the caller saw it; undefined where it is gone. */
function pathOf(model: DocumentModel, { pointer, fullName }: DocumentEntry): JsonPath | undefined {
  const isHere = (other: DocumentEntry): boolean => other.pointer === pointer && other.fullName === fullName;
  const found = model.entries.find(isHere) ?? model.entries.find((other) => other.fullName === fullName);
  return found && [found.section, found.index];
}
