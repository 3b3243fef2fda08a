import type { CatalogEntry } from './model.ts';

/** The models that this program has built in. Models of modules are not in here. */
export interface ModelCatalog {
  entries(): readonly CatalogEntry[];
  /** The entry of an API and a model, both in our spelling. */
  find(api: string, model: string): CatalogEntry | undefined;
  /** APIs that have a model in the catalog, sorted. */
  apis(): readonly string[];
}
