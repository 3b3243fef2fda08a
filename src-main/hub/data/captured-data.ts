import type { Selectable } from 'kysely';
import type { JsonValue } from '../../../proto/config/text/json-text.ts';
import type { Clock } from '../../base/clock.ts';
import { ArmatureError } from '../../base/errors.ts';
import type { BlobDraft } from '../blobs/blob-draft.ts';
import type { Blobs } from '../blobs/blobs.ts';
import type { Datasets } from '../datasets/datasets.ts';
import type { EventLog } from '../events/event-log.ts';
import { notFound } from '../places/fleet-errors.ts';
import { newId } from '../places/ids.ts';
import type { Store } from '../storage/store.ts';
import type { Queries, WriteTransaction } from '../storage/tables.ts';
import { captureIdOf, countAdded, digestOf, type CaptureFacts } from './captures/captures.ts';
import { insertLabels } from './binary/binary-labels.ts';
import type { Label } from './captures/labels.ts';
import { firstReadingOf, type UploadsTable } from './tables.ts';
import { ReadingInserts, type NewReading } from './uploads/insert-readings.ts';
import { RecentReadings } from './uploads/recent-readings.ts';
import type { CaptureTimes, UploadInfo } from './uploads/upload-metadata.ts';

/** The part that data comes from, with names as they were at the time of capture. */
export type Origin = Pick<
  CaptureFacts,
  'organizationId' | 'locationId' | 'machineId' | 'machineName' | 'partId' | 'partName'
>;

/** An upload, without its content. */
export interface UploadDescription extends Origin {
  readonly uploadId: string;
  readonly type: UploadsTable['type'];
  /** Triplet in our spelling; empty for a file that belongs to no resource. */
  readonly componentType: string;
  readonly componentName: string;
  readonly methodName: string;
  /** Tags of readings; empty for binary data, whose tags can change. */
  readonly tags: readonly string[];
  readonly count: number;
  /** Wall-clock milliseconds: the first two by the clock of the machine, the last by that of the hub. */
  readonly minReceived: number;
  readonly maxReceived: number;
  readonly syncedAt: number;
}

/** A reading as it was captured. Times are wall-clock milliseconds of the machine. */
export interface Reading {
  readonly payload: { readonly [key: string]: JsonValue };
  readonly requestedAt: number;
  readonly receivedAt: number;
}

/** Binary data that is about to be stored; its bytes are in a draft. */
export interface NewBinary {
  readonly info: UploadInfo;
  readonly origin: Origin;
  readonly times: CaptureTimes;
  readonly labels: readonly Label[];
  /** The sender's id of the upload; undefined if there is none. */
  readonly senderKey: string | undefined;
}

export interface CapturedDataOptions {
  readonly store: Store;
  readonly events: EventLog;
  readonly blobs: Blobs;
  readonly datasets: Datasets;
  readonly clock: Clock;
  /** Clock for the age of data, milliseconds; never goes back. */
  readonly age: () => number;
}

/** The upload was stored before. */
class AlreadyStored extends Error {
  readonly id: string;

  constructor(id: string) {
    super(id);
    this.id = id;
  }
}

/** Data that machines captured. Stores each upload as a whole and once, together with its event. */
export class CapturedData {
  /** Contains the bytes of binary data. */
  readonly blobs: Blobs;
  readonly #options: CapturedDataOptions;
  readonly #inserts = new ReadingInserts();
  readonly #recent = new RecentReadings();

  constructor(options: CapturedDataOptions) {
    this.blobs = options.blobs;
    this.#options = options;
  }

  /** Id of the upload that was stored for this part and sender's id; undefined if there is none. */
  async findUpload(partId: string, senderKey: string): Promise<string | undefined> {
    const uploads = this.#options.store.db.selectFrom('uploads').select('id');
    return (await uploads.where('sender_key', '=', keyOf(partId, senderKey)).executeTakeFirst())?.id;
  }

  /**
   * Stores readings of one method of one resource.
   * @returns id of the upload, or of the earlier one if it is repeated
   */
  storeReadings(
    info: UploadInfo,
    origin: Origin,
    readings: readonly NewReading[],
    senderKey: string | undefined,
  ): Promise<string> {
    const id = newId();
    const bytes = readings.reduce((sum, { payload }) => sum + Buffer.byteLength(payload), 0);
    const [minReceived, maxReceived] = extremes(readings.map(({ receivedAt }) => receivedAt));
    const work = async (tx: WriteTransaction): Promise<string> => {
      const facts: CaptureFacts = { ...info, ...origin, isBinary: false };
      const added = { id, facts, info, senderKey, count: readings.length, bytes, minReceived, maxReceived };
      const { number, captureId } = await this.#add(added, tx);
      await Promise.all([
        countAdded(captureId, added, minReceived, maxReceived, tx),
        this.#inserts.insert(readings, firstReadingOf(number), captureId, tx),
      ]);
      await this.#appendEvent(added, tx);
      return id;
    };
    const stored = this.#options.store.transaction(work);
    // Consumers of the event usually ask for the readings right after it.
    stored.then(
      () => this.#recent.add(id, readings, bytes),
      () => undefined,
    );
    return stored.catch(idOfEarlier);
  }

  /** Stores binary data whose draft is finished. @returns its id, or that of the earlier upload if it is repeated */
  async storeBinary(binary: NewBinary, draft: BlobDraft, sha256: Buffer): Promise<string> {
    const { info, origin, times, labels, senderKey } = binary;
    const id = newId();
    const hash = sha256.toString('hex');
    const { datasets } = this.#options;
    try {
      await this.blobs.keep(draft, hash, async (tx) => {
        const facts: CaptureFacts = { ...info, ...origin, isBinary: true, tags: [] };
        const { receivedAt, requestedAt } = times;
        const span = { minReceived: receivedAt, maxReceived: receivedAt };
        const added = { id, facts, info, senderKey, count: 1, bytes: draft.bytes, ...span };
        const { number, captureId } = await this.#add(added, tx);
        await countAdded(captureId, added, receivedAt, receivedAt, tx);
        await tx
          .insertInto('binary_data')
          .values({
            number,
            id,
            capture_id: captureId,
            requested_at: requestedAt,
            received_at: receivedAt,
            sha256: hash,
            bytes: draft.bytes,
            file_name: info.fileName,
            file_ext: info.fileExt,
          })
          .execute();
        const tags = info.tags.map((tag) => ({ binary_number: number, tag }));
        if (tags.length > 0) await tx.insertInto('binary_tags').values(tags).execute();
        await insertLabels(number, labels, tx);
        // A dataset may have been deleted since the upload began.
        await this.requireDatasets(info.datasetIds, origin.organizationId, tx);
        for (const datasetId of info.datasetIds) await datasets.add(datasetId, [number], tx);
        await this.#appendEvent(added, tx);
      });
      return id;
    } catch (thrown) {
      return idOfEarlier(thrown);
    }
  }

  /** Makes sure that an organization has these datasets. @throws {ArmatureError} `call.bad_argument` */
  async requireDatasets(
    ids: readonly string[],
    organizationId: string,
    db: Queries = this.#options.store.db,
  ): Promise<void> {
    const known = await this.#options.datasets.byIds(ids, db);
    for (const id of ids) {
      if (known.some((dataset) => dataset.id === id && dataset.organization_id === organizationId)) continue;
      throw new ArmatureError(
        'call.bad_argument',
        `The organization of the part has no dataset "${id.slice(0, 120)}": make it, or upload without it.`,
      );
    }
  }

  /** An upload without its content. @throws {ArmatureError} `call.not_found` */
  async describe(uploadId: string): Promise<UploadDescription> {
    const row = await this.#options.store.db
      .selectFrom('uploads')
      .innerJoin('captures', 'captures.id', 'uploads.capture_id')
      .selectAll('captures')
      .select(['uploads.type', 'uploads.min_received', 'uploads.max_received', 'uploads.synced_at'])
      .select('uploads.count as upload_count')
      .where('uploads.id', '=', uploadId)
      .executeTakeFirst();
    if (row === undefined) throw notFound('upload', uploadId);
    return {
      uploadId,
      type: row.type,
      organizationId: row.organization_id,
      locationId: row.location_id,
      machineId: row.machine_id,
      machineName: row.machine_name,
      partId: row.part_id,
      partName: row.part_name,
      componentType: row.component_type,
      componentName: row.component_name,
      methodName: row.method_name,
      tags: JSON.parse(row.tags) as string[],
      count: row.upload_count,
      minReceived: row.min_received,
      maxReceived: row.max_received,
      syncedAt: row.synced_at,
    };
  }

  /** Readings of an upload in the order in which they were sent; empty for binary data, and for deleted readings. */
  async readingsOf(uploadId: string): Promise<readonly Reading[]> {
    const recent = this.#recent.take(uploadId);
    if (recent !== undefined) {
      return recent.map(({ payload, ...times }) => ({ payload: JSON.parse(payload) as Reading['payload'], ...times }));
    }
    const { db } = this.#options.store;
    const upload = await db.selectFrom('uploads').select('number').where('id', '=', uploadId).executeTakeFirst();
    if (upload === undefined) return [];
    const rows = await db
      .selectFrom('readings')
      .select(['payload', 'requested_at', 'received_at'])
      .where('id', '>=', firstReadingOf(upload.number))
      .where('id', '<', firstReadingOf(upload.number + 1))
      .orderBy('id')
      .execute();
    return rows.map(({ payload, requested_at, received_at }) => ({
      payload: JSON.parse(payload) as Reading['payload'],
      requestedAt: requested_at,
      receivedAt: received_at,
    }));
  }

  async #add(added: NewUpload, tx: WriteTransaction): Promise<{ readonly number: number; readonly captureId: number }> {
    const { id, facts, info, senderKey, count, minReceived, maxReceived } = added;
    const sender_key = senderKey === undefined ? null : keyOf(facts.partId, senderKey);
    if (sender_key !== null) {
      const same = tx.selectFrom('uploads').select('id').where('sender_key', '=', sender_key);
      const first = await same.executeTakeFirst();
      if (first !== undefined) throw new AlreadyStored(first.id);
    }
    const captureId = await captureIdOf(facts, tx);
    const row: Omit<Selectable<UploadsTable>, 'number'> = {
      id,
      sender_key,
      capture_id: captureId,
      type: info.type,
      count,
      min_received: minReceived,
      max_received: maxReceived,
      synced_at: this.#options.clock.now(),
      ages_from: this.#options.age(),
    };
    const { number } = await tx.insertInto('uploads').values(row).returning('number').executeTakeFirstOrThrow();
    return { number, captureId };
  }

  /** Appends the event of an upload. It has to be the last step of a transaction. */
  async #appendEvent(
    { id, facts, info, count, minReceived, maxReceived }: NewUpload,
    tx: WriteTransaction,
  ): Promise<void> {
    const { organizationId, partId, componentName, componentType, methodName } = facts;
    const { type, tags } = info;
    const what = { uploadId: id, fileId: id, type, componentName, componentType, methodName, tags };
    const payload = { ...what, minReceived, maxReceived, count };
    await this.#options.events.append([{ kind: 'data.ingested', organizationId, partId, payload }], tx);
  }
}

interface NewUpload {
  readonly id: string;
  readonly facts: CaptureFacts;
  readonly info: UploadInfo;
  readonly senderKey: string | undefined;
  readonly count: number;
  readonly bytes: number;
  readonly minReceived: number;
  readonly maxReceived: number;
}

/** Senders' ids are unique only within a part. */
function keyOf(partId: string, senderKey: string): string {
  return digestOf(`${partId}\n${senderKey}`);
}

function idOfEarlier(thrown: unknown): string {
  if (thrown instanceof AlreadyStored) return thrown.id;
  throw thrown;
}

/** The least and the greatest value. `Math.min(...values)` would fail for many values. */
function extremes(values: readonly number[]): [number, number] {
  let [least, greatest] = [Infinity, -Infinity];
  for (const value of values) {
    if (value < least) least = value;
    if (value > greatest) greatest = value;
  }
  return [least, greatest];
}
