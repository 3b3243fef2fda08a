import { Migrator, type Migration } from 'kysely/migration';
import { ArmatureError } from '../../base/errors.ts';
import type { Database } from './tables.ts';

/**
 * Runs the migrations that a store has not run yet: forward only, all of them or none.
 * @param beforeSteps runs if there are migrations to run; if it throws, the store is not changed
 * @returns names of the migrations that were run now
 * @throws {ArmatureError} `store.newer` if the store has migrations that this program does not know
 */
export async function migrate(
  db: Database,
  migrations: Readonly<Record<string, Migration>>,
  place: string,
  beforeSteps?: () => Promise<void>,
): Promise<readonly string[]> {
  const migrator = new Migrator({ db, provider: { getMigrations: () => Promise.resolve({ ...migrations }) } });
  await refuseNewer(db, migrations, place);
  if (
    beforeSteps !== undefined &&
    (await migrator.getMigrations()).some(({ executedAt }) => executedAt === undefined)
  ) {
    await beforeSteps();
  }
  const { error, results } = await migrator.migrateToLatest();
  if (error !== undefined) throw error as Error;
  return (results ?? []).filter(({ status }) => status === 'Success').map(({ migrationName }) => migrationName);
}

async function refuseNewer(
  db: Database,
  migrations: Readonly<Record<string, Migration>>,
  place: string,
): Promise<void> {
  const tables = await db.introspection.getTables({ withInternalKyselyTables: true });
  if (!tables.some(({ name }) => name === 'kysely_migration')) return;
  const run = await db
    .withTables<{ kysely_migration: { name: string } }>()
    .selectFrom('kysely_migration')
    .select('name')
    .execute();
  const unknown = run.map(({ name }) => name).filter((name) => !Object.hasOwn(migrations, name));
  if (unknown.length === 0) return;
  throw new ArmatureError(
    'store.newer',
    `${place} was written by a newer version of this program: it has the step ${unknown.join(', ')}, which this one does not know. Start the newer version, or restore a backup from before it.`,
    { details: { unknown } },
  );
}
