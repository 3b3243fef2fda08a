import { ArmatureError } from '../../../base/errors.ts';
import type { Store } from '../../storage/store.ts';
import type { Queries } from '../../storage/tables.ts';

/** How long an organization keeps captured data after the hub received it; 0 means forever. */
export interface DataRetention {
  readonly organizationId: string;
  readonly readingsDays: number;
  readonly binaryDays: number;
}

/** A hundred years. */
const MAX_DAYS = 36_500;

/** Retentions of all organizations that have set one. */
export async function retentions(db: Queries): Promise<DataRetention[]> {
  const rows = await db.selectFrom('data_retention').selectAll().execute();
  return rows.map(({ organization_id, readings_days, binary_days }) => ({
    organizationId: organization_id,
    readingsDays: readings_days,
    binaryDays: binary_days,
  }));
}

/** Retention of an organization: forever, if it has set none. */
export async function retentionOf(organizationId: string, db: Queries): Promise<DataRetention> {
  const kept = (await retentions(db)).find((one) => one.organizationId === organizationId);
  return kept ?? { organizationId, readingsDays: 0, binaryDays: 0 };
}

/** @throws {ArmatureError} `call.bad_argument` */
export async function setRetention(
  { organizationId, readingsDays, binaryDays }: DataRetention,
  store: Store,
): Promise<void> {
  for (const days of [readingsDays, binaryDays]) {
    if (days <= MAX_DAYS) continue;
    throw new ArmatureError(
      'call.bad_argument',
      `${days} days are more than ${MAX_DAYS}: write 0 to keep data for ever.`,
    );
  }
  const values = { readings_days: readingsDays, binary_days: binaryDays };
  await store.transaction((tx) =>
    tx
      .insertInto('data_retention')
      .values({ organization_id: organizationId, ...values })
      .onConflict((conflict) => conflict.column('organization_id').doUpdateSet(values))
      .execute(),
  );
}
