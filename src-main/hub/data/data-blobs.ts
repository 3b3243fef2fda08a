import type { BlobStore } from '../blobs/blob-store.ts';
import type { Blobs } from '../blobs/blobs.ts';
import type { Store } from '../storage/store.ts';

/** Area of captured data among the blobs of a hub. */
const AREA = 'data';

/**
 * Opens where binary data is kept, and removes what an upload left that was cut off with the program. Snapshots of datasets
 * keep the bytes that they have.
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
