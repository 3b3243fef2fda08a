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

/** A reading and the time when it was taken, wall-clock ms. */
export interface CapturedReading {
  readonly at: number;
  readonly values: Readonly<Record<string, unknown>>;
}

/** The names of a resource and of its captured method. */
export interface Capturing {
  readonly componentType?: string;
  readonly componentName?: string;
  readonly methodName?: string;
  readonly tags?: readonly string[];
}

/** How many readings go into one upload: a request may have 32 MiB. */
const readingsAtOnce = 20_000;

/** Uploads data to a hub as its machines do. */
export class CapturedData {
  readonly #client: GrpcClient;
  readonly partId: string;

  readonly #headers: Readonly<Record<string, string>>;

  private constructor(client: GrpcClient, partId: string, headers: Readonly<Record<string, string>>) {
    this.#client = client;
    this.#headers = headers;
    this.partId = partId;
  }

  /** @param partId the part that the data belongs to; by default that of the machine with the hub */
  static async open(fleet: WindowFleet, partId?: string): Promise<CapturedData> {
    return new CapturedData(new GrpcClient(fleet.station), partId ?? (await ownPart(fleet)), {});
  }

  /** Uploads with a key of the hub, over the connection of its login. */
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

  /** Uploads a picture. @returns its id */
  async picture(at: number, png: Buffer, capturing: Capturing = {}): Promise<string> {
    const usual = { componentType: 'core:component:camera', componentName: 'belt', methodName: 'GetImages' };
    const metadata = this.#metadata(DataType.BINARY_SENSOR, { ...usual, ...capturing });
    const sensorContents: SensorData[] = [{ metadata: momentOf(at), data: { $case: 'binary', value: png } }];
    const request = { metadata: { ...metadata, fileExtension: '.png', mimeType: 'image/png' }, sensorContents };
    return (
      await this.#client.call(DataSyncServiceDefinition, 'dataCaptureUpload', request, { headers: this.#headers })
    ).binaryDataId;
  }

  /** Tags of a picture in the hub; undefined if the hub does not have it. */
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

  /** The hub's metadata of a picture; undefined if the hub does not have it. */
  async metadata(id: string): Promise<BinaryMetadata | undefined> {
    const request = { includeBinary: false, binaryIds: [], binaryDataIds: [id] };
    const options = { headers: this.#headers };
    return (await this.#client.call(DataServiceDefinition, 'binaryDataByIDs', request, options)).data[0]?.metadata;
  }

  /** Number of pictures in the hub. */
  async pictures(): Promise<number> {
    const request = { dataRequest: undefined, includeBinary: false, countOnly: true, includeInternalData: false };
    const options = { headers: this.#headers };
    return Number((await this.#client.call(DataServiceDefinition, 'binaryDataByFilter', request, options)).count);
  }

  /** Metadata and bytes of a picture in the hub. */
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

/** Readings of a room that warms up by day and has a door: one for each step before `to`. */
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
