import { isSameValue } from '../../../../proto/config/text/text-entries.ts';
import { parseTriplet } from '../../../../proto/config/names.ts';
import { findBuiltinModel } from '../../../shared/builtin-models.ts';
import { isModelOf } from '../../../shared/machine/modules/module-view.ts';
import {
  findEntry,
  isResource,
  readDocument,
  type DocumentEntry,
  type DocumentModel,
  type Reference,
} from '../document/document-model.ts';
import { setValue } from '../document/editing/document-edits.ts';
import { pathOfPointer } from '../document/editing/json-values.ts';
import type { WrittenEntry } from '../document/editing/part-of-document.ts';
import { findReferences } from '../document/references.ts';
import { dependencyGraph } from '../picture/draft-graph.ts';
import { freeAmong } from '../resources/dialogs/names.ts';

/** One pasted entry, and what becomes of it. */
export interface PasteItem {
  readonly entry: DocumentEntry;
  readonly isChosen: boolean;
  /** The name it gets; differs from that of the entry if another one here has that. */
  readonly name: string;
  /** Whether an equal entry is here. */
  readonly isHere: boolean;
  /** Names of the resources that it needs and that are neither pasted nor here. */
  readonly missing: readonly string[];
  /** The id of the module that its model belongs to, if no module of the kind is pasted or here; else ''. */
  readonly missingModule: string;
  /** Texts in it that are equal to a changed name, but may mean something else: they stay. */
  readonly unsure: readonly Reference[];
}

export interface PastePlan {
  readonly items: readonly PasteItem[];
  /** The chosen entries with their new names, in the order of the pasted text. */
  readonly additions: readonly WrittenEntry[];
}

/** What the machine has besides its configuration. */
export interface Surroundings {
  /** Whether a resource with this full or short name runs: of another machine, or one that is always there. */
  readonly runs: (name: string) => boolean;
  /** Whether a module that runs serves this model. */
  readonly serves: (model: string) => boolean;
}

/**
 * What pasting adds. An entry whose name is taken gets a new one, and the references to it among the chosen entries
 * follow. Entries that are not chosen are as if they had not been pasted.
 * @param choices by pointer, where they differ from the proposal: all that are not here already
 */
export function pastePlan(
  here: DocumentModel,
  pasted: { readonly text: string; readonly model: DocumentModel },
  choices: ReadonlyMap<string, boolean>,
  around: Surroundings,
): PastePlan {
  const isHere = (entry: DocumentEntry): boolean =>
    here.entries.some((other) => other.section === entry.section && isSameValue(other.value, entry.value));
  const chosen = pasted.model.entries.filter((entry) => choices.get(entry.pointer) ?? !isHere(entry));
  const names = newNames(here, chosen);
  const { text, unsure } = renamed(pasted, chosen, names);
  const read = readDocument(text);
  const after = new Map((read.kind === 'read' ? read.model.entries : []).map((entry) => [entry.pointer, entry]));
  const added = chosen.flatMap(({ pointer }) => after.get(pointer) ?? []);
  const merged = { root: {}, entries: [...here.entries, ...added] };
  const missing = missingIn(merged, around);
  const items = pasted.model.entries.map((entry): PasteItem => {
    const addition = chosen.includes(entry) ? after.get(entry.pointer) : undefined;
    return {
      entry,
      isChosen: addition !== undefined,
      name: names.get(entry) ?? entry.name,
      isHere: isHere(entry),
      missing: addition === undefined ? [] : missing(addition),
      missingModule: addition === undefined ? '' : missingModuleOf(addition, merged, around),
      unsure: unsure.filter(({ holder }) => holder === entry),
    };
  });
  const additions = added.map(({ section, from, to }) => ({ section, written: text.slice(from, to) }));
  return { items, additions };
}

/** Resources share one set of names, as in `nameProblem`; modules and remotes have their own. */
function familyOf(entry: DocumentEntry): string {
  return isResource(entry) ? 'resources' : entry.section;
}

/** New names of the entries whose names are taken. */
function newNames(here: DocumentModel, chosen: readonly DocumentEntry[]): ReadonlyMap<DocumentEntry, string> {
  const names = new Map<DocumentEntry, string>();
  const given = new Set<string>();
  for (const entry of chosen) {
    const family = familyOf(entry);
    // Services without a name are told apart by their API.
    const isUnnamed = !Object.hasOwn(entry.value, 'name');
    const isTaken =
      given.has(`${entry.section} ${entry.fullName}`) ||
      here.entries.some((other) =>
        isUnnamed ? other.fullName === entry.fullName : other.name === entry.name && familyOf(other) === family,
      );
    given.add(`${entry.section} ${entry.fullName}`);
    if (entry.name === '' || !isTaken) continue;
    const others = [...here.entries, ...chosen].map(({ name }) => name);
    names.set(entry, freeAmong(new Set([...others, ...names.values()]), entry.name, 2));
  }
  return names;
}

/** The pasted text with its new names, and the references that may mean something else. */
function renamed(
  { text, model }: { readonly text: string; readonly model: DocumentModel },
  chosen: readonly DocumentEntry[],
  names: ReadonlyMap<DocumentEntry, string>,
): { readonly text: string; readonly unsure: readonly Reference[] } {
  const unsure: Reference[] = [];
  let result = text;
  for (const [entry, name] of names) {
    result = setValue(result, [entry.section, entry.index, 'name'], name);
    // Of two with one full name, references mean the first.
    if (findEntry(model, entry.fullName) !== entry) continue;
    for (const reference of findReferences(model, entry.fullName, name)) {
      if (reference.holder === undefined || !chosen.includes(reference.holder)) continue;
      const path = pathOfPointer(model.root, reference.pointer);
      if (!reference.isCertain) unsure.push(reference);
      else if (path !== undefined) result = setValue(result, path, reference.renamed);
    }
  }
  return { text: result, unsure };
}

/** Finds the resources that an entry of a configuration needs and nothing in it, or around it, has. */
function missingIn(model: DocumentModel, around: Surroundings): (entry: DocumentEntry) => readonly string[] {
  const graph = dependencyGraph(model, [], () => true);
  const remotes = model.entries.filter(({ section }) => section === 'remotes').map(({ name }) => `${name}:`);
  const nameOf = (id: string): string => graph.nodes.get(id)?.name ?? id;
  const isThere = (id: string): boolean =>
    graph.nodes.get(id)?.isThere === true ||
    around.runs(id) ||
    around.runs(nameOf(id)) ||
    remotes.some((prefix) => nameOf(id).startsWith(prefix));
  return ({ fullName }) => [...(graph.needs.get(fullName) ?? [])].filter((id) => !isThere(id)).map(nameOf);
}

function missingModuleOf(entry: DocumentEntry, { entries }: DocumentModel, around: Surroundings): string {
  const { api, model } = entry;
  const triplet = isResource(entry) ? parseTriplet(model) : undefined;
  if (triplet === undefined || triplet.namespace === 'core' || findBuiltinModel(api, model) !== undefined) return '';
  const ids = entries.filter(({ section }) => section === 'modules').map(({ value }) => value['module_id']);
  // A local module without an id may serve any model.
  const mayServe = ids.some((id) => typeof id !== 'string' || isModelOf(model, id));
  return mayServe || around.serves(model) ? '' : `${triplet.namespace}:${triplet.family}`;
}
