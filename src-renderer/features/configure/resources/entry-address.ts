import type { RouteLocationRaw } from 'vue-router';
import type { DocumentEntry, DocumentModel } from '../document/document-model.ts';

/**
 * What an entry is called in an address: its short name; its full name where
 * another entry has that short name too; its pointer where it has no name, or
 * another has the full name as well.
 */
export function addressesOf(model: DocumentModel): ReadonlyMap<DocumentEntry, string> {
  const first = new Map<string, DocumentEntry>();
  for (const entry of model.entries) {
    for (const name of [entry.name, entry.fullName]) {
      if (entry.name !== '' && !first.has(name)) first.set(name, entry);
    }
  }
  return new Map(
    model.entries.map((entry) => [
      entry,
      [entry.name, entry.fullName].find((name) => first.get(name) === entry) ?? entry.pointer,
    ]),
  );
}

/** The entry at an address; the other way round of `addressesOf`. */
export function entryAt(model: DocumentModel, address: string): DocumentEntry | undefined {
  if (address === '') return undefined;
  return (
    model.entries.find(({ pointer }) => pointer === address) ??
    model.entries.find(({ name }) => name === address) ??
    model.entries.find(({ fullName }) => fullName === address)
  );
}

/** The entry whose part of the text holds an offset. */
export function entryAround(model: DocumentModel, offset: number): DocumentEntry | undefined {
  return model.entries.find(({ from, to }) => offset >= from && offset <= to);
}

/** What a resource logged. */
export function logsOfResource(fullName: string): RouteLocationRaw {
  return { name: 'logs', query: { resource: fullName } };
}

/** What a module and its process logged: its name is part of the names of their loggers. */
export function logsOfModule(name: string): RouteLocationRaw {
  return { name: 'logs', query: { logger: name } };
}

/** What the connections to other machines logged: they have one logger. */
export function logsOfRemotes(): RouteLocationRaw {
  return { name: 'logs', query: { logger: 'core.remotes' } };
}

/** The place of an entry on the screen. */
export function resourceRoute(address: string, isJson = false): RouteLocationRaw {
  return { name: 'configure-resource', params: { name: address }, ...(isJson ? { query: { view: 'json' } } : {}) };
}
