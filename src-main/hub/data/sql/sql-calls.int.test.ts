import { deserialize } from 'bson';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { DataServiceDefinition } from '../../../../proto/gen/core/app/data/v1/data.ts';
import { HubDataServiceDefinition, type QueryResponse } from '../../../../proto/gen/core/hub/v1/data.ts';
import { ManualClock } from '../../../base/clock.ts';
import { StatusCode } from '../../../base/status.ts';
import { testStores } from '../../storage/testing/test-stores.ts';
import { DataBench, reading } from '../testing/data-bench.ts';

const { INVALID_ARGUMENT, NOT_FOUND, PERMISSION_DENIED, UNIMPLEMENTED } = StatusCode;
const START = Date.UTC(2026, 5, 1);

describe.each(testStores)('SQL over captured data on $name', (kind) => {
  let bench: DataBench;

  beforeAll(async () => {
    bench = await DataBench.open(kind, new ManualClock(START));
    const readings = [20.4, 21, -3].map((t, index) => reading(START + index * 1_000, { t, door: { open: t > 20 } }));
    await bench.upload(readings, { tags: ['hall', 'a'] });
    await bench.upload([reading(START + 10_000, { t: 'warm', list: [1, { b: null }] })], {
      componentName: 'other',
      methodName: 'DoCommand',
    });
  });

  afterAll(() => bench.test.end());

  async function select(
    sqlQuery: string,
    organizationId = bench.test.first.organizationId,
    token = bench.ownerToken,
  ): Promise<Record<string, unknown>[]> {
    const { rawData } = await bench.data('tabularDataBySQL', { organizationId, sqlQuery }, token);
    return rawData.map((bytes) => deserialize(bytes));
  }
  const query = async (sql: string, mostRows = 10): Promise<QueryResponse['outcome']> => {
    const { organizationId } = bench.test.first;
    const request = { organizationId, sql, mostRows };
    return (await bench.test.call(HubDataServiceDefinition, 'query', request, { token: bench.ownerToken })).outcome;
  };

  it('gives the columns that the public documentation names, and readings as they were captured', async () => {
    const { organizationId, locationId, machineId } = bench.test.first;
    const whole = {
      organization_id: organizationId,
      location_id: locationId,
      robot_id: machineId,
      part_id: bench.partId,
      component_type: 'core:component:sensor',
      component_name: 'temperature',
      method_name: 'Readings',
      time_requested: new Date(START),
      time_received: new Date(START),
      tags: ['a', 'hall'],
      additional_parameters: {},
      data: { readings: { t: 20.4, door: { open: true } } },
    };
    const rows = await select(
      "SELECT * FROM readings WHERE component_name = 'temperature' ORDER BY time_received LIMIT 1",
    );
    expect(rows).toEqual([whole]);
    expect(Object.keys(rows[0] ?? {})).toEqual(Object.keys(whole));
    // Fields that are null, and fields that only other readings have, are left out.
    expect(await select("SELECT data FROM readings WHERE component_name = 'other'")).toEqual([
      { data: { readings: { t: 'warm', list: [1, { b: null }] } } },
    ]);
  });

  it('answers the queries of the public documentation', async () => {
    const from = "time_received >= CAST('2000-01-01T00:00:00.000Z' AS TIMESTAMP)";
    expect(
      await select(
        `SELECT time_received, data.readings.t AS t, data.readings.humidity AS humidity FROM readings
         WHERE component_name = 'temperature' AND ${from} ORDER BY time_received DESC LIMIT 2`,
      ),
    ).toEqual([
      { time_received: new Date(START + 2_000), t: -3, humidity: null },
      { time_received: new Date(START + 1_000), t: 21, humidity: null },
    ]);
    expect(await select(`SELECT DISTINCT component_name FROM readings WHERE ${from} ORDER BY 1`)).toEqual([
      { component_name: 'other' },
      { component_name: 'temperature' },
    ]);
    expect(
      await select(
        `SELECT component_name FROM readings WHERE time_received > '2026-06-01T00:00:05Z' AND time_received < '2026-06-02'`,
      ),
    ).toEqual([{ component_name: 'other' }]);
  });

  it('compares, averages and groups numbers', async () => {
    const where = "WHERE component_name = 'temperature'";
    expect(await select(`SELECT data.readings.t AS t FROM readings ${where} AND data.readings.t > 20`)).toEqual([
      { t: 20.4 },
      { t: 21 },
    ]);
    expect(
      await select(
        `SELECT data.readings.door.open AS open, avg(data.readings.t) AS mean, count(*) AS n
         FROM readings r ${where} AND r.tags[1] = 'a' GROUP BY ALL ORDER BY 1`,
      ),
    ).toEqual([
      { open: false, mean: -3, n: 1 },
      { open: true, mean: 20.7, n: 2 },
    ]);
    // A field that no reading has is null in every expression.
    expect(await select(`SELECT avg(data.readings.none) AS a FROM readings ${where}`)).toEqual([{ a: null }]);
    expect(await select(`SELECT 1 FROM readings ${where} AND data.readings.none = 'open'`)).toEqual([]);
  });

  it('gives values of every type that a client can decode', async () => {
    const [row] =
      await select(`SELECT 1::TINYINT AS whole, 9007199254740993 AS big, sum(1) AS sum, 1.50::DECIMAL(9,2) AS d,
      'x' AS text, NULL AS nothing, true AS yes, DATE '2026-06-01' AS day, INTERVAL 90 MINUTE AS span, [1, NULL] AS list,
      {'a': 1, 'b': NULL} AS struct, MAP {'k': 1} AS map, 'ab'::BLOB AS blob, '{"a":[1]}'::JSON AS json, 1e400::DOUBLE AS inf,
      uuid() IS NOT NULL AS u, 170141183460469231731687303715884105727::HUGEINT AS huge, 2 AS whole`);
    expect(row).toMatchObject({
      ...{ whole: 1, sum: 1, d: 1.5, text: 'x', nothing: null, yes: true, day: new Date(START), span: '01:30:00' },
      ...{ list: [1, null], struct: { a: 1 }, map: { k: 1 }, json: { a: [1] }, inf: Infinity, 'whole:1': 2 },
      huge: '170141183460469231731687303715884105727',
    });
    expect(String(row?.['big'])).toBe('9007199254740993');
  });

  it('spells types as the caller does', async () => {
    const request = {
      organizationId: bench.test.first.organizationId,
      sqlQuery: "SELECT DISTINCT component_type FROM readings WHERE component_type = 'core:component:sensor'",
    };
    const { rawData } = await bench.data('tabularDataBySQL', request);
    expect(rawData.map((bytes) => deserialize(bytes))).toEqual([{ component_type: 'core:component:sensor' }]);
  });

  it('uses only readings of the named organization that the caller may see', async () => {
    const { organizationId, locationId } = bench.test.first;
    const { organization } = await bench.owner('createOrganization', { name: 'other' });
    const other = organization?.id ?? '';
    const count = async (of: string, token = bench.ownerToken): Promise<unknown> =>
      (await select('SELECT count(*) AS n FROM readings', of, token))[0]?.['n'];
    expect(await count(organizationId)).toBe(4);
    expect(await count(other)).toBe(0);
    const stranger = await bench.tokenFor('organization_owner', other);
    await expect(count(organizationId, stranger)).rejects.toMatchObject({ code: NOT_FOUND });
    expect(await count(other, stranger)).toBe(0);

    const { id: machine } = await bench.owner('newRobot', { name: 'empty', location: locationId });
    const operator = await bench.tokenFor('robot_operator', machine);
    expect(await count(organizationId, operator)).toBe(0);
    const ofMachine = await bench.tokenFor('robot_operator', bench.test.first.machineId);
    expect(await count(organizationId, ofMachine)).toBe(4);
    await expect(count(organizationId, bench.partToken)).rejects.toMatchObject({ code: PERMISSION_DENIED });
    await expect(count('')).rejects.toMatchObject({ code: INVALID_ARGUMENT });
    // Internal tables of the engine contain no data of other organizations either.
    expect(await select('SELECT DISTINCT organization_id FROM stored.captures', other, stranger)).toEqual([]);
  });

  it.each([
    "SELECT * FROM read_text('/etc/passwd')",
    "SELECT * FROM read_blob('/etc/passwd')",
    "SELECT * FROM read_csv('/etc/passwd')",
    "SELECT * FROM read_json('/etc/passwd')",
    "SELECT * FROM read_parquet('/etc/passwd')",
    "SELECT * FROM '/etc/passwd'",
    "SELECT * FROM glob('/etc/*')",
    "SELECT * FROM sniff_csv('/etc/passwd')",
    "SELECT * FROM read_text('https://127.0.0.1/')",
    "SELECT getenv('HOME')",
    "SELECT * FROM query('COPY readings TO ''/tmp/x''')",
    "COPY readings TO '/tmp/armature-sql.csv'",
    "COPY (SELECT 1) TO '/tmp/armature-sql.parquet'",
    "EXPORT DATABASE '/tmp/armature-sql'",
    "IMPORT DATABASE '/tmp/armature-sql'",
    "ATTACH '/tmp/armature-sql.db'",
    "ATTACH 'postgres:host=127.0.0.1' AS other",
    'INSTALL httpfs',
    'LOAD httpfs',
    "LOAD '/tmp/x.duckdb_extension'",
    "SET memory_limit = '100GB'",
    'SET enable_external_access = true',
    'RESET lock_configuration',
    "PRAGMA memory_limit = '100GB'",
    'PRAGMA database_list',
    'CALL pragma_version()',
    "CREATE SECRET s (TYPE s3, KEY_ID 'k')",
    'CREATE TABLE t (i INTEGER)',
    'CREATE TABLE t AS SELECT * FROM readings',
    'CREATE OR REPLACE VIEW readings AS SELECT 1',
    "INSERT INTO stored.readings VALUES (1, 1, 1, '{}')",
    "UPDATE stored.readings SET payload = '{}'",
    'DELETE FROM stored.readings',
    'DROP TABLE stored.readings',
    'TRUNCATE stored.readings',
    'ALTER TABLE stored.readings ADD COLUMN i INTEGER',
    'PREPARE p AS SELECT 1',
    'BEGIN TRANSACTION',
    'CHECKPOINT',
    'VACUUM',
    'EXPLAIN ANALYZE SELECT 1',
    'SELECT 1; SELECT 2',
    'SELECT 1; DROP TABLE stored.readings',
    '',
    '-- nothing',
    'SELECT $1',
    'SELEC 1',
  ])('refuses %s', async (sql) => {
    await expect(select(sql)).rejects.toMatchObject({ code: INVALID_ARGUMENT });
  });

  it('reports the position of a mistake in a query', async () => {
    await expect(select("SELECT 'é',\n  nope\nFROM readings")).rejects.toMatchObject({
      code: INVALID_ARGUMENT,
      message: expect.stringMatching(/"nope" not found.* \(line 2, column 3\)$/s) as string,
    });
    expect(await query("SELECT 'é',\n  nope FROM readings")).toMatchObject({
      $case: 'mistake',
      value: { position: 14, message: expect.stringContaining('nope') as string },
    });
    expect(await query('SELECT 1 FRO readings')).toMatchObject({ $case: 'mistake', value: { position: 13 } });
  });

  it('returns columns in their order, rows as JSON, and not more than asked for, to the window', async () => {
    const text = 'SELECT 2 AS b, time_received AS a, 1e400::DOUBLE, data.readings.door AS b FROM readings ORDER BY 2';
    expect(await query(text, 2)).toEqual({
      $case: 'table',
      value: {
        columns: [
          { name: 'b', type: 'INTEGER' },
          { name: 'a', type: 'TIMESTAMP' },
          { name: expect.stringContaining('CAST(') as string, type: 'DOUBLE' },
          { name: 'b:1', type: expect.stringMatching(/^STRUCT/) as string },
        ],
        rows: [
          `[2,"${new Date(START).toISOString()}","Infinity",{"open":true}]`,
          `[2,"${new Date(START + 1_000).toISOString()}","Infinity",{"open":true}]`,
        ],
        isCut: true,
        readings: 4n,
      },
    });
    expect(await query('SELECT 1', 1)).toMatchObject({ value: { rows: ['[1]'], isCut: false, readings: 0n } });
  });

  it('refuses MQL, and names the call for SQL', async () => {
    const { organizationId } = bench.test.first;
    const call = bench.test.start(
      DataServiceDefinition,
      'tabularDataByMQL',
      { organizationId },
      { token: bench.ownerToken },
    );
    expect(await call.ended).toMatchObject({
      code: UNIMPLEMENTED,
      message: expect.stringContaining('TabularDataBySQL') as string,
    });
  });
});
