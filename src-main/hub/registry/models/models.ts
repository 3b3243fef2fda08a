import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import type { ModelType } from '../../../../proto/config/model-meta.ts';
import type { Clock } from '../../../base/clock.ts';
import { modelMeta, packModel } from './pack-model.ts';
import { packageIdOf, type Packages, type StoredPackage } from './packages.ts';

/** A model that another feature of the hub has made. */
export interface FinishedModel {
  readonly organizationId: string;
  readonly name: string;
  readonly version: string;
  /** Path of the model file, ONNX; it stays where it is. */
  readonly file: string;
  readonly type: ModelType;
  /** In the order of the model's outputs. */
  readonly labels: readonly string[];
  /** What else is known of it: goes into `model.json` of the package. */
  readonly card: Readonly<Record<string, unknown>>;
  /** For people: who made it. */
  readonly author: string;
}

/** Models of machine learning, for features of the hub that make some. */
export class Models {
  readonly #packages: Packages;
  readonly #clock: Clock;

  constructor(packages: Packages, clock: Clock) {
    this.#packages = packages;
    this.#clock = clock;
  }

  /**
   * Stores a model as a version that is not there yet.
   * @throws {ArmatureError} as {@link Packages.add} does
   */
  async addModel({
    organizationId,
    name,
    version,
    author,
    file,
    type,
    labels,
    card,
  }: FinishedModel): Promise<StoredPackage> {
    const { size } = await stat(file);
    const about = { name, version, modelType: type, framework: 'onnx', labels: [...labels], bytes: BigInt(size) };
    const meta = modelMeta({ organizationId, ...about }, this.#clock.now());
    return this.#packages.add({
      ...{ organizationId, type: 'ml_model', name, version, author },
      metadata: { ...meta },
      chunks: packModel(meta, size, createReadStream(file), card),
      // A file of this computer does not stop coming without an error.
      onIdle: () => undefined,
    });
  }

  /** Versions of a model, the one that was uploaded last first; none where there is no such model. */
  async versionsOf(organizationId: string, name: string): Promise<readonly string[]> {
    const versions = await this.#packages.versionsOf({ organizationId, type: 'ml_model', name });
    return versions.map(({ version }) => version);
  }

  /** What "package" of a configuration names. */
  idOf(organizationId: string, name: string): string {
    return packageIdOf({ organizationId, name });
  }
}
