import { createReadStream } from 'node:fs';
import { packageIdOf, type Packages, type StoredPackage } from './packages.ts';

/** A model that another feature of the hub has made. */
export interface FinishedModel {
  readonly organizationId: string;
  readonly name: string;
  readonly version: string;
  /** Path of a `.tar.gz` with the model file at its top; it stays where it is. */
  readonly archive: string;
  /** `model_type`, `model_framework`, `labels`, and whatever else is to be kept. */
  readonly metadata: Readonly<Record<string, unknown>>;
  /** For people: who made it. */
  readonly author: string;
}

/** Models of machine learning, for features of the hub that make some. */
export class Models {
  readonly #packages: Packages;

  constructor(packages: Packages) {
    this.#packages = packages;
  }

  /**
   * Stores a model as a version that is not there yet.
   * @throws {ArmatureError} as {@link Packages.add} does
   */
  addModel({ archive, ...model }: FinishedModel): Promise<StoredPackage> {
    // A file of this computer does not stop coming without an error.
    const onIdle = (): void => undefined;
    return this.#packages.add({ ...model, type: 'ml_model', chunks: createReadStream(archive), onIdle });
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
