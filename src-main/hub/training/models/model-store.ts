import type { ModelType } from '../../../../proto/config/model-meta.ts';

/** A trained model in a folder. */
export interface NewModel {
  readonly organizationId: string;
  readonly name: string;
  readonly version: string;
  readonly modelType: ModelType;
  /** Contains `model.onnx`, `labels.txt` and `model.json`, or any files if `isWhole`. The files are copied. */
  readonly folder: string;
  /** The model consists of all files in the folder. This is so for scripts of the registry. */
  readonly isWhole: boolean;
  /** Display name of what made it. */
  readonly author: string;
  /** The model card; empty if the script wrote none. */
  readonly metadata: Readonly<Record<string, unknown>>;
}

/** Stores trained models. */
export interface ModelStore {
  /**
   * Stores a version of a model. If anything fails, nothing is stored.
   * @returns the id of the model
   * @throws {ArmatureError} `registry.version_exists`, `store.full`, `file.unwritable`; `call.bad_argument` if the
   *   files are not a model
   */
  publish(model: NewModel): Promise<string>;
  /** The stored versions of a model, in any order; empty if there is no such model. */
  versionsOf(organizationId: string, name: string): Promise<readonly string[]>;
  /** The id of a model. */
  idOf(organizationId: string, name: string): string;
}
