import type { ModelType } from '../../../../proto/config/model-meta.ts';

/** A model that was trained, in a folder. */
export interface NewModel {
  readonly organizationId: string;
  readonly name: string;
  readonly version: string;
  readonly modelType: ModelType;
  /** Its files: `model.onnx`, `labels.txt`, `model.json`; or whatever its script left, where it `isWhole`. They are copied. */
  readonly folder: string;
  /** The model is everything in the folder, as a script of the registry leaves it. */
  readonly isWhole: boolean;
  /** For people: what made it. */
  readonly author: string;
  /** The model card, where the script wrote one. */
  readonly metadata: Readonly<Record<string, unknown>>;
}

/** Where trained models go. */
export interface ModelStore {
  /**
   * Keeps a version of a model: whole, or not at all.
   * @returns what it calls the model
   * @throws {ArmatureError} `registry.version_exists`, `store.full`, `file.unwritable`; `call.bad_argument` where the files are no model
   */
  publish(model: NewModel): Promise<string>;
  /** Versions of a model that are there, in no order; none of a model that is not there. */
  versionsOf(organizationId: string, name: string): Promise<readonly string[]>;
  /** What it calls a model. */
  idOf(organizationId: string, name: string): string;
}
