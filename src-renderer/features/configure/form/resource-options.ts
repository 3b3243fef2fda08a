import { parseFullName } from '../../../../proto/config/names.ts';
import { isResource, type DocumentEntry, type DocumentModel } from '../document/document-model.ts';

/** A resource that a field may name. */
export interface NamedResource {
  /** The name to write: the short name, or the full one if several have the same short name. */
  readonly name: string;
  readonly entry: DocumentEntry;
}

/** The resources of an API, or all if `api` is undefined; without `asking`, the resource of the form. */
export function resourcesOf(
  model: DocumentModel,
  api: string | undefined,
  asking: string,
  isFull = false,
): readonly NamedResource[] {
  const resources = model.entries.filter((entry) => isResource(entry) && entry.name !== '');
  const counts = new Map<string, number>();
  for (const { name } of resources) counts.set(name, (counts.get(name) ?? 0) + 1);
  return resources
    .filter((entry) => (api === undefined || entry.api === api) && entry.fullName !== asking)
    .map((entry) => ({
      name: isFull || (counts.get(entry.name) ?? 0) > 1 ? entry.fullName : entry.name,
      entry,
    }));
}

/** The resource that a written name refers to, in its short or full form, also as `rdk:...`. */
export function findNamed(resources: readonly NamedResource[], written: string): NamedResource | undefined {
  const full = parseFullName(written);
  const wanted = full === undefined ? undefined : `${full.api}/${full.name}`;
  return resources.find(({ entry }) => (wanted === undefined ? entry.name === written : entry.fullName === wanted));
}
