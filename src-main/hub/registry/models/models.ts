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

/** A model that another feature of the hub has produced. */
export interface FinishedModel {
  readonly organizationId: string;
  readonly name: string;
  readonly version: string;
  /** Path of the model file (ONNX). The file is not moved. */
  readonly file: string;
  readonly type: ModelType;
  /** In the order of the model's outputs. */
  readonly labels: readonly string[];
  /** More facts about the model, for `model.json` of the package. */
  readonly card: Readonly<Record<string, unknown>>;
  /** Display name of who made it. */
  readonly author: string;
}

/** A model in a folder whose files the hub does not know. */
export interface ModelFolder extends Omit<FinishedModel, 'file' | 'labels'> {
  readonly folder: string;
}

/** Lets features of the hub publish machine learning models. */
export class Models {
  readonly #packages: Packages;
  readonly #clock: Clock;

  constructor(packages: Packages, clock: Clock) {
    this.#packages = packages;
    this.#clock = clock;
  }

  /**
   * Stores a model as a new version.
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
      // A local file cannot stall: reading it continues or fails.
      onIdle: () => undefined,
    });
  }

  /**
   * Stores all files of a folder as a new version. If exactly one file at the top of the folder is a model in a format
   * that machines run, `model.json` names it. Otherwise it names none, and users of the model have to know the file.
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
      // A local file cannot stall: reading it continues or fails.
      onIdle: () => undefined,
    });
  }

  /** Versions of a model, last uploaded first; empty if there is no such model. */
  async versionsOf(organizationId: string, name: string): Promise<readonly string[]> {
    const versions = await this.#packages.versionsOf({ organizationId, type: 'ml_model', name });
    return versions.map(({ version }) => version);
  }

  /** The id by which "package" in a configuration names a model. */
  idOf(organizationId: string, name: string): string {
    return packageIdOf({ organizationId, name });
  }
}

/** The labels that a script wrote; empty if they are invalid. */
async function readLabels(file: string): Promise<readonly string[]> {
  if ((await stat(file)).size > LARGEST_LABELS_BYTES) return [];
  const labels = labelsIn(await readFile(file, 'utf8'));
  return labelsProblem(labels) === undefined ? labels : [];
}
