import { DataServiceDefinition, type BinaryMetadata } from '../../proto/gen/core/app/data/v1/data.ts';
import {
  DataSyncServiceDefinition,
  DataType,
  type SensorData,
  type UploadMetadata,
} from '../../proto/gen/core/app/datasync/v1/data_sync.ts';
import { DatasetServiceDefinition } from '../../proto/gen/core/app/dataset/v1/dataset.ts';
import { GrpcClient } from './grpc-client.ts';
import type { HubClient } from './hub-process.ts';
import type { WindowFleet } from './window-fleet.ts';

/** A reading and when it was taken, wall-clock ms. */
export interface CapturedReading {
  readonly at: number;
  readonly values: Readonly<Record<string, unknown>>;
}

/** What a resource is called where it captures. */
export interface Capturing {
  readonly componentType?: string;
  readonly componentName?: string;
  readonly methodName?: string;
  readonly tags?: readonly string[];
}

/** Readings of one upload: a request is 32 MiB at most. */
const readingsAtOnce = 20_000;

/** Brings data to a hub as its machines do. */
export class CapturedData {
  readonly #client: GrpcClient;
  readonly partId: string;

  readonly #headers: Readonly<Record<string, string>>;

  private constructor(client: GrpcClient, partId: string, headers: Readonly<Record<string, string>>) {
    this.#client = client;
    this.#headers = headers;
    this.partId = partId;
  }

  /** @param partId whose data it is; that of the machine with the hub where it is not given */
  static async open(fleet: WindowFleet, partId?: string): Promise<CapturedData> {
    return new CapturedData(new GrpcClient(fleet.station), partId ?? (await ownPart(fleet)), {});
  }

  /** With a key of the hub, over the connection that it logged in on. */
  static withKey({ grpc, token }: HubClient, partId: string): CapturedData {
    return new CapturedData(grpc, partId, { authorization: `Bearer ${token}` });
  }

  async readings(taken: readonly CapturedReading[], capturing: Capturing = {}): Promise<void> {
    const metadata = this.#metadata(DataType.TABULAR_SENSOR, { methodName: 'Readings', ...capturing });
    for (let start = 0; start < taken.length; start += readingsAtOnce) {
      const sensorContents = taken.slice(start, start + readingsAtOnce).map(({ at, values }): SensorData => ({
        metadata: momentOf(at),
        data: { $case: 'struct', value: { readings: values } },
      }));
      await this.#client.call(
        DataSyncServiceDefinition,
        'dataCaptureUpload',
        { metadata, sensorContents },
        { headers: this.#headers, timeoutMs: 60_000 },
      );
    }
  }

  /** @returns its id */
  async picture(at: number, png: Buffer, capturing: Capturing = {}): Promise<string> {
    const usual = { componentType: 'core:component:camera', componentName: 'belt', methodName: 'GetImages' };
    const metadata = this.#metadata(DataType.BINARY_SENSOR, { ...usual, ...capturing });
    const sensorContents: SensorData[] = [{ metadata: momentOf(at), data: { $case: 'binary', value: png } }];
    const request = { metadata: { ...metadata, fileExtension: '.png', mimeType: 'image/png' }, sensorContents };
    return (
      await this.#client.call(DataSyncServiceDefinition, 'dataCaptureUpload', request, { headers: this.#headers })
    ).binaryDataId;
  }

  /** Tags of a picture, as the hub has them; undefined where it has none of that id. */
  async tagsOf(id: string): Promise<readonly string[] | undefined> {
    return (await this.metadata(id))?.captureMetadata?.tags;
  }

  /** Makes a dataset of some pictures. @returns its id */
  async dataset(organizationId: string, name: string, binaryDataIds: readonly string[]): Promise<string> {
    const options = { headers: this.#headers };
    const { id } = await this.#client.call(
      DatasetServiceDefinition,
      'createDataset',
      { organizationId, name },
      options,
    );
    const added = { datasetId: id, binaryIds: [], binaryDataIds: [...binaryDataIds] };
    await this.#client.call(DataServiceDefinition, 'addBinaryDataToDatasetByIDs', added, options);
    return id;
  }

  /** What the hub knows of a picture; undefined where it has none of that id. */
  async metadata(id: string): Promise<BinaryMetadata | undefined> {
    const request = { includeBinary: false, binaryIds: [], binaryDataIds: [id] };
    const options = { headers: this.#headers };
    return (await this.#client.call(DataServiceDefinition, 'binaryDataByIDs', request, options)).data[0]?.metadata;
  }

  /** How many pictures the hub has. */
  async pictures(): Promise<number> {
    const request = { dataRequest: undefined, includeBinary: false, countOnly: true, includeInternalData: false };
    const options = { headers: this.#headers };
    return Number((await this.#client.call(DataServiceDefinition, 'binaryDataByFilter', request, options)).count);
  }

  /** A picture, and what the hub knows of it. */
  async stored(id: string): Promise<{ readonly metadata: BinaryMetadata | undefined; readonly bytes: Uint8Array }> {
    const request = { includeBinary: true, binaryIds: [], binaryDataIds: [id] };
    const options = { headers: this.#headers };
    const { data } = await this.#client.call(DataServiceDefinition, 'binaryDataByIDs', request, options);
    return { metadata: data[0]?.metadata, bytes: data[0]?.binary ?? new Uint8Array() };
  }

  close(): void {
    this.#client.close();
  }

  #metadata(type: DataType, { tags = [], ...capturing }: Capturing): UploadMetadata {
    return {
      partId: this.partId,
      ...{ componentType: 'core:component:sensor', componentName: 'climate', methodName: 'Readings' },
      ...{ type, fileName: '', methodParameters: {}, fileExtension: '', datasetIds: [], mimeType: '' },
      ...capturing,
      tags: [...tags],
      ...{ fileCreateTime: undefined, fileModifyTime: undefined },
    };
  }
}

async function ownPart(fleet: WindowFleet): Promise<string> {
  const { robots } = await fleet.call('listRobotsForOrg', { orgId: await fleet.organizationId() });
  const { parts } = await fleet.call('getRobotParts', { robotId: robots[0]?.id ?? '' });
  return parts[0]?.id ?? '';
}

function momentOf(at: number): NonNullable<SensorData['metadata']> {
  const time = new Date(at);
  return { timeRequested: time, timeReceived: time, mimeType: 0, annotations: undefined };
}

/** A room that warms up by day, with a door: one reading each step, up to a time. */
export function roomReadings(to: number, count: number, stepMs: number): CapturedReading[] {
  return Array.from({ length: count }, (_, index) => {
    const at = to - (count - index) * stepMs;
    const hour = (at / 3_600_000) % 24;
    const noise = Math.sin(index * 12.9898) * 0.35 + Math.sin(index * 3.7) * 0.15;
    const celsius = 19.5 + 3.2 * Math.sin(((hour - 9) / 24) * 2 * Math.PI) + noise;
    return {
      at,
      values: {
        celsius: Math.round(celsius * 100) / 100,
        humidity: Math.round((48 - (celsius - 19.5) * 2.4 + noise * 2) * 10) / 10,
        door: { open: index % 97 < 6 },
        fan: index % 97 < 6 ? 'high' : 'low',
      },
    };
  });
}
