import type { BlobStore } from '../blobs/blob-store.ts';
import type { Blobs } from '../blobs/blobs.ts';
import type { Store } from '../storage/store.ts';

/** Name of the area of captured data in the blob store. */
const AREA = 'data';

/**
 * Opens the store of binary data, and removes what uploads have left that were interrupted when the hub ended. Bytes
 * that a snapshot of a dataset contains are kept.
 */
export async function openDataBlobs(blobs: BlobStore, { db }: Store): Promise<Blobs> {
  const isUsed = async (sha256: string): Promise<boolean> => {
    const row = db.selectFrom('binary_data').select('number').where('sha256', '=', sha256).limit(1);
    if ((await row.executeTakeFirst()) !== undefined) return true;
    const item = db.selectFrom('dataset_snapshot_items').select('position').where('sha256', '=', sha256).limit(1);
    return (await item.executeTakeFirst()) !== undefined;
  };
  const area = blobs.area({ area: AREA, isUsed });
  await area.start();
  return area;
}
