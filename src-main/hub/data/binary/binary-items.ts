import type { Action } from '../../../../proto/config/permissions.ts';
import type { BinaryID } from '../../../../proto/gen/core/app/data/v1/data.ts';
import { ArmatureError } from '../../../base/errors.ts';
import type { Caller } from '../../access/caller.ts';
import { notFound } from '../../places/fleet-errors.ts';
import type { Queries } from '../../storage/tables.ts';
import { requiredScope, scopeOf, type Scope } from '../query/scope.ts';
import { binaryRows, type BinaryRow } from './binary-rows.ts';

const MAX_IDS = 1_000;

/** How a request names binary data: newer clients send ids, older ones triples, of which only the file id is used. */
export interface NamedBinary {
  readonly binaryDataIds: readonly string[];
  readonly binaryIds: readonly BinaryID[];
}

/** The unique ids of a request. @throws {ArmatureError} `call.bad_argument` if there are none, `call.too_large` */
export function idsOf({ binaryDataIds, binaryIds }: NamedBinary): string[] {
  const ids = [...new Set([...binaryDataIds, ...binaryIds.map(({ fileId }) => fileId)])];
  if (ids.length > MAX_IDS) {
    throw new ArmatureError('call.too_large', `${ids.length} ids are named; at most ${MAX_IDS} are taken at once.`);
  }
  if (ids.length > 0) return ids;
  throw new ArmatureError('call.bad_argument', 'No binary data is named: say "binary_data_ids".');
}

/** The one id of a request, from a newer or an older client. */
export function idOf(binaryDataId: string, binaryId: BinaryID | undefined): string {
  return binaryDataId || (binaryId?.fileId ?? '');
}

/** The binary data with these ids that exists and that the caller may see, in the order of the ids. */
export async function visibleBinary(ids: readonly string[], caller: Caller, db: Queries): Promise<BinaryRow[]> {
  return rowsIn(ids, await scopeOf(caller, 'data.read', db), db);
}

/**
 * The binary data with these ids that exists and is visible. The caller must be allowed to do the action with all of
 * it.
 * @throws {ArmatureError} `access.denied`
 */
export async function allowedBinary(
  ids: readonly string[],
  action: Action,
  caller: Caller,
  db: Queries,
): Promise<BinaryRow[]> {
  const scope = await requiredScope(caller, action, db);
  const seen = await visibleBinary(ids, caller, db);
  const allowed = new Set((await rowsIn(ids, scope, db)).map(({ id }) => id));
  const missing = seen.find(({ id }) => !allowed.has(id));
  if (missing === undefined) return seen;
  const capture = db.selectFrom('captures').select('machine_id').where('id', '=', missing.captureId);
  const { machine_id } = await capture.executeTakeFirstOrThrow();
  throw caller.denied(action, { type: 'machine', id: machine_id });
}

/**
 * Like {@link allowedBinary}, but all ids must exist and be visible.
 * @throws {ArmatureError} `call.not_found`, `access.denied`
 */
export async function requiredBinary(
  ids: readonly string[],
  action: Action,
  caller: Caller,
  db: Queries,
): Promise<BinaryRow[]> {
  const rows = await allowedBinary(ids, action, caller, db);
  const missing = ids.find((id) => !rows.some((row) => row.id === id));
  if (missing !== undefined) throw notFound('binary data', missing);
  return rows;
}

async function rowsIn(ids: readonly string[], { condition }: Scope, db: Queries): Promise<BinaryRow[]> {
  // PostgreSQL does not allow an empty IN list.
  if (ids.length === 0) return [];
  const captures = db.selectFrom('captures').select('captures.id').where(condition);
  const rows = await binaryRows(db).where('binary_data.id', 'in', ids).where('capture_id', 'in', captures).execute();
  const order = new Map(ids.map((id, index) => [id, index]));
  return rows.sort((a, b) => (order.get(a.id) ?? 0) - (order.get(b.id) ?? 0));
}
