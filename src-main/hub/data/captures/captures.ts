import { createHash } from 'node:crypto';
import { sql } from 'kysely';
import type { Selectable } from 'kysely';
import type { WriteTransaction } from '../../storage/tables.ts';
import type { CapturesTable } from '../tables.ts';

export type CaptureRow = Selectable<CapturesTable>;

/** Properties that readings or pieces of binary data share. */
export interface CaptureFacts {
  readonly isBinary: boolean;
  readonly organizationId: string;
  readonly locationId: string;
  readonly machineId: string;
  readonly machineName: string;
  readonly partId: string;
  readonly partName: string;
  /** In our spelling. */
  readonly componentType: string;
  readonly componentName: string;
  readonly methodName: string;
  /** JSON with sorted keys. */
  readonly parameters: string;
  /** Tags of readings, sorted and unique; empty for binary data, which has its own tags. */
  readonly tags: readonly string[];
  readonly mimeType: string;
}

/** How much is added to a capture, or removed. */
export interface CaptureChange {
  readonly count: number;
  readonly bytes: number;
}

/** A short name for a text of any length: 128 bits of its SHA-256. */
export function digestOf(text: string): string {
  return createHash('sha256').update(text).digest().subarray(0, 16).toString('base64url');
}

/** Finds the row with these properties, or inserts it. */
export async function captureIdOf(facts: CaptureFacts, tx: WriteTransaction): Promise<number> {
  const columns = {
    is_binary: facts.isBinary ? 1 : 0,
    organization_id: facts.organizationId,
    location_id: facts.locationId,
    machine_id: facts.machineId,
    machine_name: facts.machineName,
    part_id: facts.partId,
    part_name: facts.partName,
    component_type: facts.componentType,
    component_name: facts.componentName,
    method_name: facts.methodName,
    parameters: facts.parameters,
    tags: JSON.stringify(facts.tags),
    mime_type: facts.mimeType,
  };
  const digest = digestOf(JSON.stringify(Object.values(columns)));
  const known = await tx.selectFrom('captures').select('id').where('digest', '=', digest).executeTakeFirst();
  if (known !== undefined) return known.id;
  const { id } = await tx
    .insertInto('captures')
    .values({ digest, ...columns, count: 0, bytes: 0, first_at: null, last_at: null })
    .returning('id')
    .executeTakeFirstOrThrow();
  if (facts.tags.length > 0) {
    const rows = facts.tags.map((tag) => ({ capture_id: id, tag }));
    await tx.insertInto('capture_tags').values(rows).execute();
  }
  return id;
}

/** Updates number, bytes and times of a capture after data was stored. */
export async function countAdded(
  captureId: number,
  { count, bytes }: CaptureChange,
  firstAt: number,
  lastAt: number,
  tx: WriteTransaction,
): Promise<void> {
  // As parameters: with numbers in the text, each call would be a new statement that the database has to prepare.
  const first = sql<number>`${firstAt}`;
  const last = sql<number>`${lastAt}`;
  await tx
    .updateTable('captures')
    .set((column) => ({
      count: column('count', '+', count),
      bytes: column('bytes', '+', bytes),
      first_at: column
        .case()
        .when(column.or([column('first_at', 'is', null), column('first_at', '>', firstAt)]))
        .then(first)
        .else(column.ref('first_at'))
        .end(),
      last_at: column
        .case()
        .when(column.or([column('last_at', 'is', null), column('last_at', '<', lastAt)]))
        .then(last)
        .else(column.ref('last_at'))
        .end(),
    }))
    .where('id', '=', captureId)
    .execute();
}

/** Updates number, bytes and times of a capture after data was deleted. */
export async function countRemoved(
  captureId: number,
  { count, bytes }: CaptureChange,
  table: 'readings' | 'binary_data',
  tx: WriteTransaction,
): Promise<void> {
  const edge = async (order: 'asc' | 'desc'): Promise<number | null> => {
    const rows = tx.selectFrom(table).select('received_at').where('capture_id', '=', captureId);
    return (await rows.orderBy('received_at', order).limit(1).executeTakeFirst())?.received_at ?? null;
  };
  const [first_at, last_at] = [await edge('asc'), await edge('desc')];
  await tx
    .updateTable('captures')
    .set((column) => ({ count: column('count', '-', count), bytes: column('bytes', '-', bytes), first_at, last_at }))
    .where('id', '=', captureId)
    .execute();
}
