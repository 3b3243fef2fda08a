import type { CatalogEntry } from './model.ts';

/** The models this program knows by itself. Modules bring more, which are not in here. */
export interface ModelCatalog {
  entries(): readonly CatalogEntry[];
  /** The entry of an API and a model, both in our spelling. */
  find(api: string, model: string): CatalogEntry | undefined;
  /** APIs that have a model in the catalog, sorted. */
  apis(): readonly string[];
}
