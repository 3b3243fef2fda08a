import { mkdir } from 'node:fs/promises';
import path from 'node:path';
import type { CaptureMethodConfig } from '../../../proto/config/capture/capture-schema.ts';
import { parseFullName } from '../../../proto/config/names.ts';
import { DataType, MimeType, SensorData } from '../../../proto/gen/core/app/datasync/v1/data_sync.ts';
import { encodeMessage } from '../../../proto/message.ts';
import { Mutex } from '../../base/async/mutex.ts';
import type { Clock, Timer } from '../../base/clock.ts';
import { ArmatureError, toArmatureError } from '../../base/errors.ts';
import { lockFolder } from '../../base/files/folder-lock.ts';
import type { Logger } from '../../base/logger.ts';
import type { Router } from '../../rpc/router.ts';
import type { CaptureSession, CaptureSettings, CaptureStatus } from '../catalog/capture-host.ts';
import type { ResourceConfig } from '../catalog/resource-config.ts';
import { Collector } from './collector.ts';
import { DiskGuard } from './journal/disk-guard.ts';
import { Journal } from './journal/journal.ts';
import { sourceReader } from './read-resource.ts';
import type { DataHub } from './sync/data-hub.ts';
import { SyncPermission } from './sync/sync-permission.ts';
import { Uploader } from './sync/uploader.ts';
import { UserFiles } from './sync/user-files.ts';

export interface CaptureOptions {
  /** Where captured data waits for the hub, unless the data manager names another folder. */
  readonly folder: string;
  /** Where calls of this machine go; undefined while nothing is served yet. */
  readonly router: () => Router | undefined;
  /** Whether a resource, by its full name, can be called. */
  readonly isReady: (fullName: string) => boolean;
  /** Undefined for a machine without a hub: captured data waits until it has one. */
  readonly hub: DataHub | undefined;
  /** Readings of a sensor by its full name; rejects if it cannot be read. */
  readonly readSensor: (fullName: string, timeoutMs: number) => Promise<Readonly<Record<string, unknown>>>;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** What is captured of a resource, according to its configuration. */
export interface CapturedMethod {
  readonly resource: ResourceConfig;
  readonly method: CaptureMethodConfig;
}

export interface SessionOptions extends CaptureOptions {
  readonly captured: () => readonly CapturedMethod[];
}

interface Running {
  readonly resource: string;
  readonly method: string;
  readonly frequencyHz: number;
  readonly collector: Collector;
}

/** The captures and uploads of one data manager, from its start to its end. */
export class Session implements CaptureSession {
  /** Called once, at the end. */
  onClosed: () => void = () => undefined;
  readonly #options: SessionOptions;
  readonly #folder: string;
  readonly #journal: Journal;
  readonly #uploader: Uploader | undefined;
  readonly #files: UserFiles | undefined;
  readonly #guard: DiskGuard;
  readonly #permission: SyncPermission;
  /** Identifies a source. */
  readonly #running = new Map<string, Running>();
  readonly #syncing = new Mutex();
  #settings: CaptureSettings;
  #timer: Timer | undefined;
  #unlock: () => void = () => undefined;
  #isClosed = false;

  constructor(settings: CaptureSettings, options: SessionOptions) {
    const { hub, clock, logger } = options;
    this.#settings = settings;
    this.#options = options;
    this.#folder = settings.folder ?? options.folder;
    this.#journal = new Journal({ folder: this.#folder, fileBytes: () => this.#settings.fileBytes, clock, logger });
    this.#guard = new DiskGuard({
      journal: this.#journal,
      folder: this.#folder,
      diskThresholds: () => this.#settings.diskThresholds,
      clock,
      logger,
    });
    this.#permission = new SyncPermission(options);
    if (hub === undefined) return;
    const failedFolder = path.join(this.#folder, 'failed');
    const atOnce = (): number => this.#settings.uploadsAtOnce;
    this.#uploader = new Uploader({ journal: this.#journal, hub, failedFolder, atOnce, clock, logger });
    this.#files = new UserFiles({ record: path.join(this.#folder, 'sent-files.json'), hub, clock, logger });
  }

  /** @throws {ArmatureError} `file.unwritable` where the folder cannot be used */
  async open(): Promise<void> {
    try {
      await mkdir(this.#folder, { recursive: true, mode: 0o700 });
      const lock = lockFolder(this.#folder);
      if (typeof lock === 'object') throw new Error(`process ${lock.heldBy} has it`);
      this.#unlock = lock;
      await this.#journal.open();
    } catch (thrown) {
      this.#unlock();
      this.#uploader?.close();
      await this.#guard.close();
      const { message } = toArmatureError(thrown);
      throw new ArmatureError(
        'file.unwritable',
        `The folder for captured data, ${this.#folder}, cannot be used: ${message}. Name another one ("capture_dir"), or give the server the right to write there.`,
        { cause: thrown, details: { path: this.#folder } },
      );
    }
    this.refresh();
    this.#schedule();
    void this.#sync();
  }

  /** Starts the methods that should be captured now, and stops the others. */
  refresh(): void {
    const wanted = new Map(this.#isClosed || this.#settings.isCaptureOff ? [] : this.#options.captured().map(keyed));
    for (const [key, { collector }] of this.#running) {
      if (wanted.has(key)) continue;
      this.#running.delete(key);
      void collector.close();
    }
    for (const [key, captured] of wanted) if (!this.#running.has(key)) this.#begin(key, captured);
  }

  async update(settings: CaptureSettings): Promise<void> {
    const { tags } = this.#settings;
    this.#settings = settings;
    if (tags.join('\n') !== settings.tags.join('\n')) await this.#endAll();
    this.refresh();
    this.#schedule();
    void this.#sync();
  }

  async sync(): Promise<void> {
    if (this.#uploader === undefined) {
      throw new ArmatureError(
        'call.failed_precondition',
        'This machine has no hub: what is captured waits here until it has one.',
      );
    }
    await this.#journal.seal();
    if (this.#journal.trouble !== '') throw this.#unwritable();
    await this.#uploader.finish();
    await this.#files?.send(this.#settings.filePaths, this.#settings.fileRestsMs);
  }

  async upload(
    bytes: Uint8Array,
    tags: readonly string[],
    datasetIds: readonly string[],
    mimeType: string,
  ): Promise<void> {
    const { clock } = this.#options;
    const now = new Date(clock.now());
    const metadata = { timeRequested: now, timeReceived: now, mimeType: MimeType.UNSPECIFIED, annotations: undefined };
    this.#journal.append({
      stream: {
        metadata: {
          partId: '',
          componentType: 'core:service:data_manager',
          componentName: 'builtin',
          methodName: 'UploadBinaryDataToDatasets',
          type: DataType.BINARY_SENSOR,
          fileName: '',
          methodParameters: {},
          fileExtension: '',
          tags: [...tags],
          datasetIds: [...datasetIds],
          mimeType,
          fileCreateTime: undefined,
          fileModifyTime: undefined,
        },
      },
      reading: encodeMessage(SensorData, { metadata, data: { $case: 'binary', value: bytes } }),
    });
    await this.#journal.seal();
    if (this.#journal.trouble !== '') throw this.#unwritable();
  }

  get status(): CaptureStatus {
    const { lastUploadAt, ...upload } = this.#uploader?.state ?? { uploaded: 0, refused: 0, error: '' };
    return {
      folder: this.#folder,
      capturing: [...this.#running.values()].map(({ resource, method, frequencyHz, collector }) => ({
        resource,
        method,
        frequency_hz: frequencyHz,
        ...collector.state,
      })),
      waiting_bytes: this.#journal.bytes,
      waiting_files: this.#journal.files.length,
      lost_readings: this.#journal.lost,
      disk_error: this.#journal.trouble,
      sync: {
        is_allowed: this.#permission.reason === '' && !this.#settings.isSyncOff,
        reason: this.#settings.isSyncOff ? 'sync is off' : this.#permission.reason,
        ...upload,
        last_upload: lastUploadAt === undefined ? null : new Date(lastUploadAt).toISOString(),
      },
    };
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#timer?.cancel();
    await this.#endAll();
    this.#uploader?.close();
    this.#files?.close();
    await this.#guard.close();
    await this.#syncing.idle();
    await this.#journal.close();
    this.#unlock();
    this.onClosed();
  }

  #begin(key: string, { resource, method }: CapturedMethod): void {
    const { router, isReady, clock, logger } = this.#options;
    const { fullName, api, name } = resource;
    const label = `${method.method} of ${fullName}`;
    const tags = this.#settings.tags.length > 0 ? this.#settings.tags : (method.tags ?? []);
    let source: ReturnType<typeof sourceReader>;
    try {
      source = sourceReader({ api, name, config: method, tags }, router, clock);
    } catch (thrown) {
      logger.warn(`${label} is not captured: ${toArmatureError(thrown).message}`);
      return;
    }
    const capture = async (): Promise<boolean> => {
      if (!isReady(fullName)) throw new ArmatureError('resource.not_ready', `${fullName} is not ready.`);
      const readings = await source.read();
      for (const reading of readings) this.#journal.append({ stream: source.stream, reading });
      return readings.length > 0;
    };
    const frequencyHz = method.capture_frequency_hz ?? 0;
    const collector = new Collector({ label, frequencyHz, capture, clock, logger });
    this.#running.set(key, { resource: fullName, method: method.method, frequencyHz, collector });
  }

  async #endAll(): Promise<void> {
    const running = [...this.#running.values()];
    this.#running.clear();
    await Promise.all(running.map(({ collector }) => collector.close()));
  }

  #schedule(): void {
    this.#timer?.cancel();
    if (!this.#isClosed)
      this.#timer = this.#options.clock.every(this.#settings.syncIntervalMs, () => void this.#sync());
  }

  /** Sends captured data, if that is allowed. Never rejects. */
  #sync(): Promise<void> {
    return this.#syncing.run(async () => {
      if (this.#isClosed || this.#uploader === undefined) return;
      const { isSyncOff, syncSensor, filePaths, fileRestsMs } = this.#settings;
      const isAllowed = !isSyncOff && (await this.#permission.ask(sensorName(syncSensor)));
      await this.#journal.seal();
      this.#uploader.allow(isAllowed);
      if (!isAllowed) return;
      // Not awaited: a large file takes long, and the next sync must send data captured in the meantime.
      this.#files?.send(filePaths, fileRestsMs).catch(() => {
        // The hub is unreachable, and the next sync tries again. Other failures are logged where they occur.
      });
    });
  }

  #unwritable(): ArmatureError {
    return new ArmatureError('file.unwritable', `Captured data cannot be written: ${this.#journal.trouble}`, {
      details: { path: this.#folder },
    });
  }
}

function keyed(captured: CapturedMethod): readonly [string, CapturedMethod] {
  return [JSON.stringify([captured.resource.fullName, captured.method]), captured];
}

/** Configurations of the public ecosystem name sensors by their short names. */
function sensorName(name: string | undefined): string | undefined {
  if (name === undefined || name === '') return undefined;
  return parseFullName(name) === undefined ? `core:component:sensor/${name}` : name;
}
