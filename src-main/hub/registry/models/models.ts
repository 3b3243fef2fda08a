import { createReadStream } from 'node:fs';
import { readFile, stat } from 'node:fs/promises';
import path from 'node:path';
import {
  frameworkOfFile,
  labelsIn,
  labelsProblem,
  LARGEST_LABELS_BYTES,
  MODEL_LABELS_FILE,
  MODEL_META_FILE,
  type ModelType,
} from '../../../../proto/config/model-meta.ts';
import type { Clock } from '../../../base/clock.ts';
import { filesIn, packFolder } from './pack-folder.ts';
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

/** A model whose files are known only to whoever made it. */
export interface ModelFolder extends Omit<FinishedModel, 'file' | 'labels'> {
  readonly folder: string;
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

  /**
   * Stores everything in a folder as a version that is not there yet. Where it has one model file at its top, in a form that
   * machines run, `model.json` names it; where it has none, or several, whoever uses the model knows.
   * @throws {ArmatureError} as {@link Packages.add} does
   */
  async addFolder({ folder, card, type, author, ...model }: ModelFolder): Promise<StoredPackage> {
    const files = await filesIn(folder);
    const [file, ...others] = files.filter((name) => !name.includes('/') && frameworkOfFile(name) !== undefined);
    const framework = file === undefined || others.length > 0 ? undefined : frameworkOfFile(file);
    const labels = files.includes(MODEL_LABELS_FILE) ? await readLabels(path.join(folder, MODEL_LABELS_FILE)) : [];
    const isLabelled = labels.length > 0;
    const meta = {
      ...{ name: model.name, version: model.version, model_type: type },
      ...(framework === undefined ? {} : { model_framework: framework, model_file: file }),
      ...{ labels_file: isLabelled ? MODEL_LABELS_FILE : '', labels },
      uploaded_on: new Date(this.#clock.now()).toISOString().slice(0, 10),
    };
    const text = `${JSON.stringify({ ...card, ...meta }, undefined, 2)}\n`;
    return this.#packages.add({
      ...{ ...model, type: 'ml_model', author, metadata: meta },
      chunks: packFolder(folder, new Map([[MODEL_META_FILE, text]])),
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

/** Labels that a script has left; none where they can be none. */
async function readLabels(file: string): Promise<readonly string[]> {
  if ((await stat(file)).size > LARGEST_LABELS_BYTES) return [];
  const labels = labelsIn(await readFile(file, 'utf8'));
  return labelsProblem(labels) === undefined ? labels : [];
}
