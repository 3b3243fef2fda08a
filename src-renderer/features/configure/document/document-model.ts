import { isJsonObject } from '../../../../proto/config/text/text-entries.ts';
import { joinPointer } from '../../../../proto/config/text/json-pointer.ts';
import { readJsonText } from '../../../../proto/config/text/json-text.ts';
import { canonicalApi, canonicalModel, fullName } from '../../../../proto/config/names.ts';
import type { DraftModule, DraftResource } from '../../../shared/stores/draft-text.ts';
import { changeBetween, type TextChange } from '../../../shared/text-change.ts';
import { LineIndex } from '../../../../proto/config/text/text-position.ts';
import { childOf, childrenAt, rootOf } from './editing/json-scan.ts';

/** The configuration as entries: what lists, forms and pictures read. The text stays the truth. */

export const sections = ['components', 'services', 'modules', 'remotes'] as const;
export type Section = (typeof sections)[number];

/** One component, service, module or other machine of the text. */
export interface DocumentEntry {
  readonly section: Section;
  readonly index: number;
  /** '' where it has none. */
  readonly name: string;
  /** `core:component:motor/left`; `module/acme_env`; `remote/second`. */
  readonly fullName: string;
  /** In our spelling: `core:component:motor`; '' of what is no resource. */
  readonly api: string;
  /** In our spelling: `core:builtin:gpio`; '' of what is no resource. */
  readonly model: string;
  /** The entry as parsed. */
  readonly value: Readonly<Record<string, unknown>>;
  /** `/components/0`. */
  readonly pointer: string;
  /** Offsets in the text. */
  readonly from: number;
  readonly to: number;
}

/** Whether an entry is a component or a service. */
export function isResource({ section }: Pick<DocumentEntry, 'section'>): boolean {
  return section === 'components' || section === 'services';
}

export interface DocumentModel {
  readonly root: Readonly<Record<string, unknown>>;
  readonly entries: readonly DocumentEntry[];
}

/** A place in the text that names a resource. */
export interface Reference {
  /** The entry it is in; undefined in a machine-wide setting. */
  readonly holder: DocumentEntry | undefined;
  /** `/components/2/attributes/encoder`. */
  readonly pointer: string;
  /** In words of the document: `left · attributes.encoder`. */
  readonly where: string;
  /** The text there, and what a rename would make of it. */
  readonly now: string;
  readonly renamed: string;
  /**
   * False where only the text is equal: in the attributes of a model without a
   * known schema, and in log patterns with a `*`. A rename offers these, not chosen.
   */
  readonly isCertain: boolean;
}

/** A text that was read, or why it could not be. */
export type ReadDocument =
  | { readonly kind: 'read'; readonly model: DocumentModel }
  | {
      readonly kind: 'broken';
      /** A sentence of the syntax; its line from 1. */
      readonly message: string;
      readonly line: number;
    };

export const emptyModel: DocumentModel = { root: {}, entries: [] };

/**
 * Reads a text. Tolerant of what is in it: entries without a name, an API or a
 * model have '' there, what is no object in a list is left out (its index is
 * not given to another), a section that is no list has no entries. A text of
 * white space is the empty document. `broken` finds why it does not parse.
 */
export function readDocument(text: string, broken: (text: string) => ReadDocument = brokenAt): ReadDocument {
  let root: unknown;
  try {
    root = JSON.parse(text.startsWith('\uFEFF') ? text.slice(1) : text);
  } catch {
    return text.trim() === '' ? { kind: 'read', model: emptyModel } : broken(text);
  }
  if (!isJsonObject(root)) {
    return {
      kind: 'broken',
      message: 'The configuration is an object in { } with components, services and more.',
      line: 1,
    };
  }
  const object = root;
  const top = childrenAt(text, rootOf(text)?.start ?? 0);
  const entries = sections.flatMap((section) => {
    const list = object[section];
    const place = childOf(top, section);
    if (!Array.isArray(list) || place === undefined) return [];
    return childrenAt(text, place.start).flatMap(({ start, end }, index) => {
      const value: unknown = list[index];
      return isJsonObject(value) ? [entryOf(section, index, value, start, end)] : [];
    });
  });
  return { kind: 'read', model: { root, entries } };
}

/**
 * Reads texts that follow each other. Where the change from the last one that parsed is inside of one entry, only that
 * entry is read: all others keep their `value`, so that what was found of it holds. The same text gives the same model.
 */
export function documentReader(): (text: string) => ReadDocument {
  let last: { readonly text: string; readonly model: DocumentModel } = { text: '', model: emptyModel };
  return (text) => {
    if (text === last.text) return { kind: 'read', model: last.model };
    const change = changeBetween(last.text, text);
    const model = changedInOneEntry(last.model, change, text);
    const read: ReadDocument =
      model === undefined
        ? readDocument(text, () => brokenInEntry(last.model, change, text) ?? brokenAt(text))
        : { kind: 'read', model };
    if (read.kind === 'read') last = { text, model: read.model };
    return read;
  };
}

/** The model of `text` by its difference from that of the text before; undefined where all of it must be read. */
function changedInOneEntry(
  { root, entries }: DocumentModel,
  { from, removed, inserted }: TextChange,
  text: string,
): DocumentModel | undefined {
  // Its braces stay where they are: what parses between them is one entry, and the text around it is as it was.
  const entry = entryWith(entries, from, from + removed.length);
  const list = entry && root[entry.section];
  if (entry === undefined || !Array.isArray(list)) return undefined;
  const shift = inserted.length - removed.length;
  const value = objectIn(text.slice(entry.from, entry.to + shift));
  if (value === undefined) return undefined;
  return {
    root: { ...root, [entry.section]: list.with(entry.index, value) as unknown[] },
    entries: entries.map((each) => {
      if (each === entry) return entryOf(entry.section, entry.index, value, entry.from, entry.to + shift);
      return shift === 0 || each.from < from ? each : { ...each, from: each.from + shift, to: each.to + shift };
    }),
  };
}

/** The entry whose braces enclose a part of the text. */
function entryWith(entries: readonly DocumentEntry[], from: number, to: number): DocumentEntry | undefined {
  return entries.find((each) => from > each.from && to < each.to);
}

function objectIn(text: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isJsonObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/** The entry with a full name, or else the first with a short one. */
export function findEntry(model: DocumentModel, name: string): DocumentEntry | undefined {
  return (
    model.entries.find((entry) => entry.fullName === name) ??
    model.entries.find((entry) => entry.name === name && name !== '')
  );
}

/** The modules of a document, as other screens know them. */
export function modulesOf({ entries }: DocumentModel): readonly DraftModule[] {
  return entries
    .filter(({ section }) => section === 'modules')
    .map(({ name, value }) => ({
      name,
      moduleId: textAt(value, 'module_id'),
      version: textAt(value, 'version'),
    }));
}

/** Components and services of a document, as other screens know them. */
export function draftResourcesOf({ entries }: DocumentModel): readonly DraftResource[] {
  return entries.filter(isResource).map(({ name, fullName, api, model, section, index, value }) => {
    const { attributes } = value;
    const isDisabled = value['disabled'] === true;
    const path = [section, index];
    return { name, fullName, api, model, path, attributes: isJsonObject(attributes) ? attributes : {}, isDisabled };
  });
}

function entryOf(
  section: Section,
  index: number,
  value: Readonly<Record<string, unknown>>,
  from: number,
  to: number,
): DocumentEntry {
  const place = { section, index, value, pointer: joinPointer(`/${section}`, index), from, to };
  const given = textAt(value, 'name');
  if (section === 'modules' || section === 'remotes') {
    return { ...place, name: given, fullName: `${section.slice(0, -1)}/${given}`, api: '', model: '' };
  }
  const family = section === 'components' ? 'component' : 'service';
  const api = apiOf(value, family);
  const isUnnamedService = family === 'service' && !Object.hasOwn(value, 'name');
  const name = isUnnamedService ? 'builtin' : given;
  const model = textAt(value, 'model') || (isUnnamedService ? 'builtin' : '');
  return { ...place, name, fullName: fullName(api, name), api, model: canonicalModel(model) ?? model };
}

/** In our spelling: of `api` as text or object, or of the old `type` and `namespace`. As far as it is written. */
function apiOf(value: Readonly<Record<string, unknown>>, family: 'component' | 'service'): string {
  const { api } = value;
  let written = '';
  if (typeof api === 'string') written = api;
  else if (isJsonObject(api) && textAt(api, 'subtype') !== '') {
    written = `${textAt(api, 'namespace') || 'core'}:${textAt(api, 'type') || family}:${textAt(api, 'subtype')}`;
  } else if (textAt(value, 'type') !== '') {
    written = `${textAt(value, 'namespace') || 'core'}:${family}:${textAt(value, 'type')}`;
  }
  return canonicalApi(written) ?? written;
}

function textAt(value: Readonly<Record<string, unknown>>, key: string): string {
  const found = Object.hasOwn(value, key) ? value[key] : undefined;
  return typeof found === 'string' ? found : '';
}

function brokenAt(text: string): ReadDocument {
  const { faults, lines } = readJsonText(text);
  const fault = faults.find(({ kind }) => kind === 'syntax') ?? faults[0];
  return {
    kind: 'broken',
    message: fault?.message ?? 'The text is not JSON.',
    line: lines.at(fault?.offset ?? 0).line,
  };
}

/** So much behind an entry is read as well, so that a fault in it is told apart from its end. */
const behindEntry = 64;

/**
 * As `brokenAt` says it, found in the one entry that changed since the text parsed: up to there the text is as it was.
 * Undefined where the entry by itself has no fault.
 */
function brokenInEntry(
  { entries }: DocumentModel,
  { from, removed, inserted }: TextChange,
  text: string,
): ReadDocument | undefined {
  const entry = entryWith(entries, from, from + removed.length);
  if (entry === undefined) return undefined;
  const end = entry.to + inserted.length - removed.length;
  const part = text.slice(entry.from, end + behindEntry);
  // What a comment is said to be depends on where it ends.
  if (part.includes('/*')) return undefined;
  const { line } = new LineIndex(text.slice(0, entry.from)).at(entry.from);
  // What stands before it, as far as a fault depends on it.
  const before = `${'\n'.repeat(line - 1)}{"":[`;
  const { faults, lines } = readJsonText(before + part);
  const fault = faults.find(({ kind }) => kind === 'syntax');
  if (fault === undefined || fault.offset >= before.length + end - entry.from) return undefined;
  return { kind: 'broken', message: fault.message, line: lines.at(fault.offset).line };
}
