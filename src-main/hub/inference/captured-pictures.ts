import { ArmatureError } from '../../base/errors.ts';
import type { Blobs } from '../blobs/blobs.ts';
import { bytesOf, type BinaryRow } from '../data/binary/binary-rows.ts';
import type { Queries } from '../storage/tables.ts';

/** Size of the encoded picture. */
const MAX_PICTURE_BYTES = 32 * 1024 * 1024;

/** A captured picture with its bytes. */
export interface StoredPicture {
  readonly bytes: Uint8Array;
  readonly mimeType: string;
  readonly organizationId: string;
}

/** @throws {ArmatureError} `call.too_large`, `store.corrupt`, `store.unavailable` */
export async function readPicture(row: BinaryRow, blobs: Blobs, db: Queries): Promise<StoredPicture> {
  if (row.bytes > MAX_PICTURE_BYTES) {
    const message = `The picture "${row.id}" has ${row.bytes} bytes; models are run on pictures of ${MAX_PICTURE_BYTES} at most.`;
    throw new ArmatureError('call.too_large', message);
  }
  const { mime_type: mimeType, organization_id: organizationId } = await db
    .selectFrom('captures')
    .select(['mime_type', 'organization_id'])
    .where('id', '=', row.captureId)
    .executeTakeFirstOrThrow();
  return { bytes: await bytesOf(row, blobs), mimeType, organizationId };
}

/** Tags and classes of a picture: labels of the whole picture, not of boxes. */
export async function labelsOfPicture({ number }: BinaryRow, db: Queries): Promise<ReadonlySet<string>> {
  const [tags, classes] = await Promise.all([
    db.selectFrom('binary_tags').select('tag').where('binary_number', '=', number).execute(),
    db
      .selectFrom('binary_labels')
      .select('label')
      .where('binary_number', '=', number)
      .where('x_min', 'is', null)
      .execute(),
  ]);
  return new Set([...tags.map(({ tag }) => tag), ...classes.map(({ label }) => label)]);
}
