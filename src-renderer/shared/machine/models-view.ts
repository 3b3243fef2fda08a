import type { Model, ModelOwner } from '../../../proto/gen/core/hub/v1/models.ts';

/** Models of the hub, and where more may be stored. */
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

/** Models of machine learning in the hub that this page came from. */
export interface ModelCalls {
  list(): Promise<ModelsView>;
  /**
   * Stores a version that is not there yet.
   * @param onSent is told of bytes that are on their way, all together
   */
  upload(model: ModelToUpload, onSent: (bytes: number) => void, signal: AbortSignal): Promise<void>;
  /** @param id `organization id/name` */
  delete(id: string, version: string): Promise<void>;
  /** Tells of each change. */
  watchChanges(signal: AbortSignal): AsyncIterable<string>;
}
