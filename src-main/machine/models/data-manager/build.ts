import { availableParallelism } from 'node:os';
import type { BuildContext, BuiltResource } from '../../catalog/model.ts';
import type { CaptureSession, CaptureSettings } from '../../catalog/capture-host.ts';
import type { BinaryType, DataManager } from '../../../apis/data-manager.ts';
import type { JsonObject } from '../../../apis/resource.ts';
import {
  DEFAULT_DISK_CAPTURED,
  DEFAULT_DISK_USED,
  DEFAULT_FILE_BYTES,
  DEFAULT_FILE_RESTS_MS,
  DEFAULT_SYNC_MINUTES,
  type DataManagerAttributes,
} from './schema.ts';

/** Data manager model `builtin`. The machine does the work, because it knows the other resources and the hub. */
class BuiltinDataManager implements DataManager, BuiltResource {
  readonly name: string;
  readonly #session: CaptureSession;

  constructor(name: string, session: CaptureSession) {
    this.name = name;
    this.#session = session;
  }

  sync(): Promise<void> {
    return this.#session.sync();
  }

  uploadBinaryDataToDatasets(
    bytes: Uint8Array,
    tags: readonly string[],
    datasetIds: readonly string[],
    type: BinaryType,
  ): Promise<void> {
    return this.#session.upload(bytes, tags, datasetIds, type);
  }

  status(): Promise<JsonObject> {
    return Promise.resolve(this.#session.status as JsonObject);
  }

  reconfigure(attributes: JsonObject): Promise<void> {
    return this.#session.update(settingsOf(attributes));
  }

  close(): Promise<void> {
    return this.#session.close();
  }
}

/** Converts attributes into settings. */
function settingsOf(attributes: DataManagerAttributes): CaptureSettings {
  const { sync_interval_mins: minutes = 0, maximum_num_sync_threads: threads } = attributes;
  return {
    folder: attributes.capture_dir,
    isCaptureOff: attributes.capture_disabled ?? false,
    isSyncOff: attributes.sync_disabled ?? false,
    tags: attributes.tags ?? [],
    syncIntervalMs: (minutes === 0 ? DEFAULT_SYNC_MINUTES : minutes) * 60_000,
    filePaths: attributes.additional_sync_paths ?? [],
    fileRestsMs: attributes.file_last_modified_millis ?? DEFAULT_FILE_RESTS_MS,
    uploadsAtOnce: threads ?? Math.max(1, Math.floor(availableParallelism() / 2)),
    fileBytes: attributes.maximum_capture_file_size_bytes ?? DEFAULT_FILE_BYTES,
    diskThresholds: {
      used: attributes.disk_usage_deletion_threshold ?? DEFAULT_DISK_USED,
      captured: attributes.capture_dir_deletion_threshold ?? DEFAULT_DISK_CAPTURED,
    },
    syncSensor: attributes.selective_syncer_name,
  };
}

export async function build({ name, attributes, capture }: BuildContext<JsonObject>): Promise<BuiltResource> {
  return new BuiltinDataManager(name, await capture.open(settingsOf(attributes)));
}
