import type { RouteLocationRaw } from 'vue-router';
import type { DocumentEntry, DocumentModel } from '../document/document-model.ts';

/**
 * The name of each entry in URLs: its short name; its full name if another entry
 * has the same short name; its pointer if it has no name, or another entry has
 * the same full name.
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

/** The entry at an address; the inverse of `addressesOf`. */
export function entryAt(model: DocumentModel, address: string): DocumentEntry | undefined {
  if (address === '') return undefined;
  return (
    model.entries.find(({ pointer }) => pointer === address) ??
    model.entries.find(({ name }) => name === address) ??
    model.entries.find(({ fullName }) => fullName === address)
  );
}

/** The entry whose text contains an offset. */
export function entryAround(model: DocumentModel, offset: number): DocumentEntry | undefined {
  return model.entries.find(({ from, to }) => offset >= from && offset <= to);
}

/** The logs of a resource. */
export function logsOfResource(fullName: string): RouteLocationRaw {
  return { name: 'logs', query: { resource: fullName } };
}

/** The logs of a module and its process: its name is part of the names of their loggers. */
export function logsOfModule(name: string): RouteLocationRaw {
  return { name: 'logs', query: { logger: name } };
}

/** The logs of the connections to remotes, which share one logger. */
export function logsOfRemotes(): RouteLocationRaw {
  return { name: 'logs', query: { logger: 'core.remotes' } };
}

/** The page of an entry. */
export function resourceRoute(address: string, isJson = false): RouteLocationRaw {
  return { name: 'configure-resource', params: { name: address }, ...(isJson ? { query: { view: 'json' } } : {}) };
}
