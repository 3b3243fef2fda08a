import { joinPointer } from '../../../../../proto/config/text/json-pointer.ts';
import type { Text } from '../../../../shared/text.ts';
import { insertItem, RawJson, removeValue, setValue, SpelledJson } from './document-edits.ts';
import type { DocumentEntry, DocumentModel, Reference, Section } from '../document-model.ts';
import type { DraftEditing } from './draft-editing.ts';
import { locate, type JsonPath } from './json-scan.ts';
import { pathOfPointer } from './json-values.ts';
import { movedItem } from './move-item.ts';
import { partOfDocument, type WrittenEntry } from './part-of-document.ts';

/** The edits that forms make. Each call is one undo step, and does nothing while the text does not parse. */
export function useEntryEdits(editing: DraftEditing, t: Text) {
  /** Edits an entry where it is now; does nothing if the entry is gone, since another one may be at its place. */
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
    /** Sets a value; undefined removes it. The same path again within a second joins the same undo step. */
    set(path: (string | number)[], value: unknown, label: string): void {
      const field = path.reduce<string>((pointer, step) => joinPointer(pointer, step), '');
      editing.editField(field, label, (text) => setValue(text, path, value));
    },
    addEntry(section: Section, value: Record<string, unknown>, label: string): void {
      editing.edit((text) => withEntries(text, [{ section, value }]), { label });
    },
    /** Adds several entries that belong together, as one undo step. */
    addEntries(entries: readonly NewEntry[], label: string): void {
      editing.edit((text) => withEntries(text, entries), { label });
    },
    /** Adds entries in their own spelling, in the layout of the text around them. */
    addWritten(entries: readonly WrittenEntry[], label: string): void {
      const append = (text: string, { section, written }: WrittenEntry): string =>
        insertItem(text, [section], Number.MAX_SAFE_INTEGER, new SpelledJson(written));
      editing.edit((text) => entries.reduce(append, text), { label });
    },
    /** These entries as a configuration of their own, in the spelling of the text; '' while it does not parse. */
    copied(entries: readonly DocumentEntry[]): string {
      const { model, text, broken } = editing.settle();
      if (broken !== undefined) return '';
      const found = entries.flatMap((entry) => entryNow(model, entry) ?? []);
      const written = found.map(({ section, from, to }) => ({ section, written: text.slice(from, to) }));
      return partOfDocument(written);
    },
    /** Sets or removes values in several entries, as one undo step. */
    setEach(changes: readonly EntryChange[], label: string): void {
      editing.edit(
        (text, model) =>
          changes.reduce((before, { entry, path, value }) => {
            const own = pathOf(model, entry);
            return own === undefined ? before : setValue(before, [...own, ...path], value);
          }, text),
        { label },
      );
    },
    /**
     * Moves an entry to another index of its section. Moves of the same `group` that follow each other quickly are one
     * undo step.
     */
    moveEntry(entry: DocumentEntry, index: number, group: string): void {
      const label = t('history.moved', { name: entry.name });
      editing.editAt(
        (text, model) => {
          const now = entryNow(model, entry);
          return now && movedItem(text, [now.section], now.index, index);
        },
        { label, group, joinMs: heldKeyMs },
      );
    },
    /** Sets all attributes of an entry; writes only what differs. Always an undo step of its own. */
    setAttributes(entry: DocumentEntry, attributes: Readonly<Record<string, unknown>>, label: string): void {
      editEntry(entry, label, (text, path) => setValue(text, [...path, 'attributes'], attributes));
    },
    removeEntry(entry: DocumentEntry): void {
      const label = t('history.removed', { name: entry.name });
      editEntry(entry, label, (text, path) => removeValue(text, path));
    },
    /** Removes several entries, as one undo step. */
    removeEntries(entries: readonly DocumentEntry[]): void {
      const label = t('history.removedSeveral', { count: entries.length });
      editing.edit(
        (text, model) => {
          const found = entries.flatMap((entry) => entryNow(model, entry) ?? []);
          // The last one first: removing an entry shifts those after it.
          const last = found.sort((one, other) => other.index - one.index);
          return last.reduce((before, { section, index }) => removeValue(before, [section, index]), text);
        },
        { label },
      );
    },
    /** Puts an entry of the applied text back at its old index, exactly as written there. */
    bringBack(entry: DocumentEntry): void {
      const written = editing.draft.value?.base.text.slice(entry.from, entry.to) ?? '';
      const label = t('resources.broughtBack', { name: entry.name });
      editing.edit((text) => insertItem(text, [entry.section], entry.index, new RawJson(written)), { label });
    },
    /** Inserts a copy directly after the entry, with the same layout. */
    duplicateEntry(entry: DocumentEntry, name: string): void {
      const label = t('history.duplicated', { name: entry.name });
      editEntry(entry, label, (text, path) => {
        const place = locate(text, path);
        if (place === undefined) return text;
        const copy = setValue(text.slice(place.start, place.end), ['name'], name);
        return insertItem(text, path.slice(0, -1), Number(path.at(-1)) + 1, new RawJson(copy));
      });
    },
    /** Renames an entry and the given references, each in its own spelling; skips one that has changed since. */
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

/** An entry to append to its section. */
export interface NewEntry {
  readonly section: Section;
  readonly value: Readonly<Record<string, unknown>>;
}

/** A value in an entry to set, at a path from the entry; undefined removes it. */
export interface EntryChange {
  readonly entry: DocumentEntry;
  readonly path: JsonPath;
  readonly value: unknown;
}

/** A held key repeats at least this often. */
const heldKeyMs = 1000;

function withEntries(text: string, entries: readonly NewEntry[]): string {
  return entries.reduce(
    (before, { section, value }) => insertItem(before, [section], Number.MAX_SAFE_INTEGER, value),
    text,
  );
}

/** Where an entry is now: it may have moved since the caller saw it. Undefined if it is gone. */
function entryNow(model: DocumentModel, { pointer, fullName }: DocumentEntry): DocumentEntry | undefined {
  const isHere = (other: DocumentEntry): boolean => other.pointer === pointer && other.fullName === fullName;
  return model.entries.find(isHere) ?? model.entries.find((other) => other.fullName === fullName);
}

function pathOf(model: DocumentModel, entry: DocumentEntry): JsonPath | undefined {
  const found = entryNow(model, entry);
  return found && [found.section, found.index];
}
