import { defineApi, type ResourceApi } from './api.ts';
import { asIs, oneOf } from './fields.ts';
import { methodsOf } from './method.ts';
import type { CallOptions, Resource } from './resource.ts';
import { MimeType } from '../../proto/gen/core/app/datasync/v1/data_sync.ts';
import { DataManagerServiceDefinition } from '../../proto/gen/core/service/datamanager/v1/data_manager.ts';

/** The type of a piece of binary data; '' where its bytes show it. */
export type BinaryType = '' | 'image/jpeg' | 'image/png' | 'application/pcd' | 'video/mp4';

/** Captures data of resources and sends it to the hub. */
export interface DataManager extends Resource {
  /**
   * Settles when all data captured so far is at the hub.
   * @throws {ArmatureError} why it is not
   */
  sync(options?: CallOptions): Promise<void>;
  /** Sends the caller's bytes to the hub, as an item of these datasets. */
  uploadBinaryDataToDatasets(
    bytes: Uint8Array,
    tags: readonly string[],
    datasetIds: readonly string[],
    type: BinaryType,
    options?: CallOptions,
  ): Promise<void>;
}

const binaryType = oneOf<BinaryType>(
  {
    '': MimeType.UNSPECIFIED,
    'image/jpeg': MimeType.IMAGE_JPEG,
    'image/png': MimeType.IMAGE_PNG,
    'application/pcd': MimeType.APPLICATION_PCD,
    'video/mp4': MimeType.VIDEO_MP4,
  },
  'IMAGE_JPEG (1), IMAGE_PNG (2), APPLICATION_PCD (3) or VIDEO_MP4 (4)',
);

const { call } = methodsOf(DataManagerServiceDefinition);

/** @internal */
export const dataManagerApi: ResourceApi<DataManager, typeof DataManagerServiceDefinition> = defineApi({
  api: 'core:service:data_manager',
  service: DataManagerServiceDefinition,
  methods: {
    sync: call('sync', {}, { endsWithCaller: true }),
    uploadBinaryDataToDatasets: call('uploadBinaryDataToDatasets', {
      binaryData: asIs,
      tags: asIs,
      datasetIds: asIs,
      mimeType: binaryType,
    }),
  },
});
