import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { labelsIn, MODEL_LABELS_FILE } from '../../../../proto/config/model-meta.ts';
import type { Models } from '../../registry/models/models.ts';
import type { ModelStore, NewModel } from './model-store.ts';

/** Name of the model file in the output folder of the hub's own script. */
export const TRAINED_MODEL_FILE = 'model.onnx';

/** Publishes trained models as packages of the hub, like uploaded ones, so that configurations can name them. */
export class PackagedModels implements ModelStore {
  readonly #models: Models;

  constructor(models: Models) {
    this.#models = models;
  }

  async publish({ folder, isWhole, metadata, modelType, ...model }: NewModel): Promise<string> {
    if (isWhole) {
      await this.#models.addFolder({ ...model, folder, type: modelType, card: metadata });
      return this.idOf(model.organizationId, model.name);
    }
    const labels = labelsIn(await readFile(path.join(folder, MODEL_LABELS_FILE), 'utf8'));
    await this.#models.addModel({
      ...model,
      ...{ file: path.join(folder, TRAINED_MODEL_FILE), type: modelType, labels, card: metadata },
    });
    return this.idOf(model.organizationId, model.name);
  }

  versionsOf(organizationId: string, name: string): Promise<readonly string[]> {
    return this.#models.versionsOf(organizationId, name);
  }

  idOf(organizationId: string, name: string): string {
    return this.#models.idOf(organizationId, name);
  }
}
