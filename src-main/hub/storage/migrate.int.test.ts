import type { Kysely } from 'kysely';
import type { Migration } from 'kysely/migration';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { silentLogger } from '../../base/logger.ts';
import { migrate } from './migrate.ts';
import { migrations } from './migrations/all.ts';
import { openDatabase, openStore } from './open-store.ts';
import type { Database } from './tables.ts';
import { earlierRows } from './testing/earlier-rows.ts';
import { testStores, type TestPlace } from './testing/test-stores.ts';

const names = Object.keys(migrations);
const upTo = (count: number): Record<string, Migration> =>
  Object.fromEntries(Object.entries(migrations).slice(0, count));

interface Column {
  readonly table: string;
  readonly name: string;
  readonly dataType: string;
  readonly isNullable: boolean;
}

async function columnsOf(db: Kysely<never> | Database): Promise<Column[]> {
  const tables = await db.introspection.getTables();
  return tables
    .flatMap(({ name: table, columns }) =>
      columns.map(({ name, dataType, isNullable }) => ({ table, name, dataType, isNullable })),
    )
    .sort((a, b) => (`${a.table}.${a.name}` < `${b.table}.${b.name}` ? -1 : 1));
}

describe.each(testStores)('migrations on $name', (kind) => {
  let place: TestPlace;

  beforeEach(async () => (place = await kind.makePlace()));
  afterEach(() => place.remove());

  it('are in the order of their names, each run once', async () => {
    expect(names).toEqual([...names].sort());
    const db = await openDatabase(place.address, silentLogger);
    expect(await migrate(db, migrations, 'here')).toEqual(names);
    expect(await migrate(db, migrations, 'here')).toEqual([]);
    await db.destroy();
  });

  it.each(names.map((name, index) => ({ name, count: index + 1 })))(
    'a store that was created up to $name keeps its rows and gets the current schema',
    async ({ count }) => {
      const earlier = await openDatabase(place.address, silentLogger);
      await migrate(earlier, upTo(count), 'here');
      const rows = earlierRows.slice(0, count).flat();
      for (const { table, row } of rows)
        await earlier
          .insertInto(table as never)
          .values(row)
          .execute();
      await earlier.destroy();

      const store = await openStore(place.address, silentLogger);
      for (const { table, row } of rows) {
        const found = await store.db
          .selectFrom(table as never)
          .selectAll()
          .execute();
        expect(found).toContainEqual(expect.objectContaining(row));
      }
      const migrated = await columnsOf(store.db);
      await store.close();

      const fresh = await kind.makePlace();
      const made = await openStore(fresh.address, silentLogger);
      expect(migrated).toEqual(await columnsOf(made.db));
      await made.close();
      await fresh.remove();
    },
  );

  it('a migration that fails does not change the store', async () => {
    const db = await openDatabase(place.address, silentLogger);
    await migrate(db, upTo(1), 'here');
    const before = await columnsOf(db);
    const failing: Record<string, Migration> = {
      ...upTo(2),
      '0003-fails': {
        up: async (inner) => {
          await inner.schema.createTable('half').addColumn('id', 'integer').execute();
          throw new Error('out of luck');
        },
      },
    };
    await expect(migrate(db, failing, 'here')).rejects.toThrow('out of luck');
    expect(await columnsOf(db)).toEqual(before);
    await db.destroy();
  });

  it('a store of a newer program is refused with the name of the unknown migration, and not changed', async () => {
    const db = await openDatabase(place.address, silentLogger);
    const future = {
      up: async (inner: Kysely<never>) => inner.schema.createTable('future').addColumn('id', 'text').execute(),
    };
    await migrate(db, { ...migrations, '9999-future': future }, 'here');
    const before = await columnsOf(db);
    await db.destroy();
    await expect(openStore(place.address, silentLogger)).rejects.toMatchObject({
      code: 'store.newer',
      message: expect.stringContaining('9999-future') as string,
    });
    const after = await openDatabase(place.address, silentLogger);
    expect(await columnsOf(after)).toEqual(before);
    await after.destroy();
  });

  it('two programs that open an empty store at once both get the whole schema', async () => {
    const stores = await Promise.all([openStore(place.address, silentLogger), openStore(place.address, silentLogger)]);
    const [first, second] = await Promise.all(stores.map(({ db }) => columnsOf(db)));
    expect(first).toEqual(second);
    await Promise.all(stores.map((store) => store.close()));
  });
});
