import type { Model, ModelOwner } from '../../../proto/gen/core/hub/v1/models.ts';

/** Models of the hub, and the organizations that may get more. */
export interface ModelsView {
  /** By name; the newest version of each first. */
  readonly models: readonly Model[];
  /** Organizations in which this page may store and delete models. */
  readonly owners: readonly ModelOwner[];
}

/** A model file that is to be stored. */
export interface ModelToUpload {
  readonly organizationId: string;
  readonly name: string;
  readonly version: string;
  readonly modelType: string;
  readonly framework: string;
  readonly labels: readonly string[];
  readonly file: Blob;
}

/** Machine learning models of the hub that this page came from. */
export interface ModelCalls {
  list(): Promise<ModelsView>;
  /**
   * Stores a new version.
   * @param onSent called with the total of bytes sent so far
   */
  upload(model: ModelToUpload, onSent: (bytes: number) => void, signal: AbortSignal): Promise<void>;
  /** @param id `organization id/name` */
  delete(id: string, version: string): Promise<void>;
  /** Ids of models that changed, as it happens. */
  watchChanges(signal: AbortSignal): AsyncIterable<string>;
}
