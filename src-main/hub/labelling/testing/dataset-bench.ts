import type { BoundingBox } from '../../../../proto/gen/core/app/data/v1/data.ts';
import { DatasetServiceDefinition } from '../../../../proto/gen/core/app/dataset/v1/dataset.ts';
import { HubDatasetServiceDefinition, type DatasetSnapshot } from '../../../../proto/gen/core/hub/v1/dataset.ts';
import type { ManualClock } from '../../../base/clock.ts';
import type { RequestOf, ResponseOf } from '../../../rpc/service.ts';
import { camera, DataBench, picture } from '../../data/testing/data-bench.ts';
import type { TestStoreKind } from '../../storage/testing/test-stores.ts';

type Methods = (typeof HubDatasetServiceDefinition)['methods'];

/** A box whose id is made from its number. */
export function box(number: number, label: string, edges: readonly [number, number, number, number]): BoundingBox {
  const [xMinNormalized, yMinNormalized, xMaxNormalized, yMaxNormalized] = edges;
  const id = `00000000-0000-4000-8000-${String(number).padStart(12, '0')}`;
  return { id, label, xMinNormalized, yMinNormalized, xMaxNormalized, yMaxNormalized };
}

/** A hub with a dataset. */
export class DatasetBench {
  readonly data: DataBench;
  readonly datasetId: string;
  readonly #clock: ManualClock;

  private constructor(data: DataBench, datasetId: string, clock: ManualClock) {
    this.data = data;
    this.datasetId = datasetId;
    this.#clock = clock;
  }

  static async open(kind: TestStoreKind, clock: ManualClock): Promise<DatasetBench> {
    const data = await DataBench.open(kind, clock);
    const { organizationId } = data.test.first;
    const request = { organizationId, name: 'Screws' };
    const { id } = await data.test.call(DatasetServiceDefinition, 'createDataset', request, {
      token: data.ownerToken,
    });
    return new DatasetBench(data, id, clock);
  }

  end(): Promise<void> {
    return this.data.test.end();
  }

  ask<K extends keyof Methods>(
    method: K,
    request: Partial<RequestOf<Methods[K]>>,
    token = this.data.ownerToken,
  ): Promise<ResponseOf<Methods[K]>> {
    return this.data.test.call(HubDatasetServiceDefinition, method, request, { token });
  }

  /** Captures a picture, a millisecond later, and adds it to the dataset. @returns its id */
  async add(
    bytes: string,
    more: Partial<Record<'tags' | 'datasetIds', string[]> & Record<'mimeType' | 'fileExtension', string>> = {},
  ): Promise<string> {
    this.#clock.advance(1);
    const metadata = { ...camera, datasetIds: [this.datasetId], ...more };
    return this.data.upload([picture(this.#clock.now(), Buffer.from(bytes))], metadata);
  }

  /** Puts a box on a picture. */
  async box(binaryDataId: string, added: BoundingBox): Promise<void> {
    await this.ask('changeLabels', { binaryDataId, putBoxes: [added] });
  }

  async snapshot(note = ''): Promise<DatasetSnapshot> {
    const { snapshot } = await this.ask('createSnapshot', { datasetId: this.datasetId, note });
    if (snapshot === undefined) throw new Error('the answer has no snapshot');
    return snapshot;
  }
}
