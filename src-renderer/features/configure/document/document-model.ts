import { isJsonObject } from '../../../../proto/config/text/text-entries.ts';
import { joinPointer } from '../../../../proto/config/text/json-pointer.ts';
import { readJsonText } from '../../../../proto/config/text/json-text.ts';
import { canonicalApi, canonicalModel, fullName } from '../../../../proto/config/names.ts';
import type { DraftModule, DraftResource } from '../../../shared/stores/draft-text.ts';
import { changeBetween, type TextChange } from '../../../shared/text-change.ts';
import { LineIndex } from '../../../../proto/config/text/text-position.ts';
import { childOf, childrenAt, rootOf } from './editing/json-scan.ts';

/** The configuration as entries, for lists, forms and pictures. The text remains the source of truth. */

export const sections = ['components', 'services', 'modules', 'remotes'] as const;
export type Section = (typeof sections)[number];

/** One component, service, module or remote of the text. */
export interface DocumentEntry {
  readonly section: Section;
  readonly index: number;
  /** '' if it has none. */
  readonly name: string;
  /** `core:component:motor/left`; `module/acme_env`; `remote/second`. */
  readonly fullName: string;
  /** Canonical: `core:component:motor`; '' for modules and remotes. */
  readonly api: string;
  /** Canonical: `core:builtin:gpio`; '' for modules and remotes. */
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

/** A place in the text that refers to a resource. */
export interface Reference {
  /** The entry it is in; undefined in a machine-wide setting. */
  readonly holder: DocumentEntry | undefined;
  /** `/components/2/attributes/encoder`. */
  readonly pointer: string;
  /** For people: `left · attributes.encoder`. */
  readonly where: string;
  /** The text there, and its new text after a rename. */
  readonly now: string;
  readonly renamed: string;
  /**
   * False if the text is equal but may mean something else: in the attributes of a model without a
   * known schema, and in log patterns with a `*`. A rename offers these unchecked.
   */
  readonly isCertain: boolean;
}

/** The model of a text, or why it does not parse. */
export type ReadDocument =
  | { readonly kind: 'read'; readonly model: DocumentModel }
  | {
      readonly kind: 'broken';
      /** A sentence about the syntax error, and its line, counted from 1. */
      readonly message: string;
      readonly line: number;
    };

export const emptyModel: DocumentModel = { root: {}, entries: [] };

/**
 * Reads a text. Tolerates faults in its content: a missing name, API or model
 * is '', a list item that is no object is skipped (the others keep their
 * indexes), and a section that is no list has no entries. A text of white space
 * is the empty document. `broken` finds why a text does not parse.
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
 * Reads successive versions of a text. If the change since the last one that parsed is inside one entry, only that
 * entry is parsed: all others keep their `value`, so results cached by value stay valid. The same text gives the same
 * model.
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

/** The model of `text`, derived from the previous model; undefined if the whole text must be parsed. */
function changedInOneEntry(
  { root, entries }: DocumentModel,
  { from, removed, inserted }: TextChange,
  text: string,
): DocumentModel | undefined {
  // The change is inside the braces of the entry: if what is between them parses, the rest of the text is unchanged.
  const entry = entryEnclosing(entries, from, from + removed.length);
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
function entryEnclosing(entries: readonly DocumentEntry[], from: number, to: number): DocumentEntry | undefined {
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

/** The entry with this full name, or else the first with this short name. */
export function findEntry(model: DocumentModel, name: string): DocumentEntry | undefined {
  return (
    model.entries.find((entry) => entry.fullName === name) ??
    model.entries.find((entry) => entry.name === name && name !== '')
  );
}

/** The modules of a document, in the form that other screens use. */
export function modulesOf({ entries }: DocumentModel): readonly DraftModule[] {
  return entries
    .filter(({ section }) => section === 'modules')
    .map(({ name, value }) => ({
      name,
      moduleId: textAt(value, 'module_id'),
      version: textAt(value, 'version'),
    }));
}

/** Components and services of a document, in the form that other screens use. */
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

/** The canonical API, from `api` or the old `type` and `namespace`; as written if it is no full API. */
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

/** This much text after an entry is read too, to tell a fault inside the entry from one at its end. */
const charactersAfterEntry = 64;

/**
 * Gives the same answer as `brokenAt`, but parses only the entry that changed since the text last parsed.
 * Undefined if that entry has no fault of its own.
 */
function brokenInEntry(
  { entries }: DocumentModel,
  { from, removed, inserted }: TextChange,
  text: string,
): ReadDocument | undefined {
  const entry = entryEnclosing(entries, from, from + removed.length);
  if (entry === undefined) return undefined;
  const end = entry.to + inserted.length - removed.length;
  const part = text.slice(entry.from, end + charactersAfterEntry);
  // The message for a comment depends on where the comment ends, which may be outside of this part.
  if (part.includes('/*')) return undefined;
  const { line } = new LineIndex(text.slice(0, entry.from)).at(entry.from);
  // As much of the text before the entry as the message and the line depend on.
  const before = `${'\n'.repeat(line - 1)}{"":[`;
  const { faults, lines } = readJsonText(before + part);
  const fault = faults.find(({ kind }) => kind === 'syntax');
  if (fault === undefined || fault.offset >= before.length + end - entry.from) return undefined;
  return { kind: 'broken', message: fault.message, line: lines.at(fault.offset).line };
}
