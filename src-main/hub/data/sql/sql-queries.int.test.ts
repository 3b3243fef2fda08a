import { readFile } from 'node:fs/promises';
import { kill } from 'node:process';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { ManualClock } from '../../../base/clock.ts';
import type { ServerCall } from '../../../rpc/call.ts';
import { callerOf, type Caller } from '../../access/caller.ts';
import { testStores } from '../../storage/testing/test-stores.ts';
import { DataBench, reading } from '../testing/data-bench.ts';
import type { QueryProcess } from './query-process.ts';
import { defaultSqlLimits, type SqlLimits } from './sql-limits.ts';
import { SqlQueries, type SqlAnswer, type SqlQueriesOptions } from './sql-queries.ts';

const START = Date.UTC(2026, 5, 1);
/** Runs practically forever, and needs hardly any memory. */
const endless = 'SELECT sum(hash(range) % 7) FROM range(1000000000000)';
const MIB = 1024 * 1024;

describe.each(testStores)('queries on $name', (kind) => {
  let bench: DataBench;
  let caller: Caller;

  beforeAll(async () => {
    bench = await DataBench.open(kind, new ManualClock(START));
    caller = await callerOf({ kind: 'local' } as never, bench.test.hub.parts.store.db, () => undefined);
    const at = (from: number, count: number) =>
      Array.from({ length: count }, (_, index) => reading(START + (from + index) * 1_000, { t: index / 2, n: index }));
    await bench.upload(at(0, 1_500), { tags: ['x'] });
    await bench.upload(at(1_000, 700), { componentName: 'other', componentType: 'core:component:motor' });
  });

  afterAll(() => bench.test.end());

  function open(limits: Partial<SqlLimits> = {}, more: Partial<SqlQueriesOptions> = {}): SqlQueries {
    return new SqlQueries({ store: bench.test.hub.parts.store, limits: { ...defaultSqlLimits, ...limits }, ...more });
  }
  function run(
    queries: SqlQueries,
    sql: string,
    signal = new AbortController().signal,
    as = caller,
  ): Promise<SqlAnswer> {
    const query = {
      organizationId: bench.test.first.organizationId,
      sql,
      encoding: 'json' as const,
      enoughRows: undefined,
    };
    return queries.run(query, as, { signal, dialect: 'core' } as ServerCall);
  }
  const rowsOf = ({ rows }: SqlAnswer): unknown[] =>
    rows.map((row) => JSON.parse(Buffer.from(row).toString()) as unknown);

  it.each([
    ['FROM readings', 2_200],
    ["FROM readings WHERE component_name = 'other'", 700],
    ["FROM readings r WHERE r.component_type LIKE '%motor' AND r.data.readings.n < 3", 700],
    ["FROM readings WHERE list_contains(tags, 'x')", 1_500],
    ["FROM readings WHERE time_received >= '2026-06-01T00:20:00Z' AND component_name = 'temperature'", 300],
    ["FROM readings WHERE time_received BETWEEN TIMESTAMP '2026-06-01' AND TIMESTAMP '2026-06-01 00:00:09'", 10],
    ["FROM readings WHERE TIMESTAMP '2026-06-01' + INTERVAL 1 SECOND >= time_received", 2],
    ['FROM readings WHERE time_received > now() + INTERVAL 50 YEAR', 0],
    ["FROM readings WHERE component_name = 'other' OR data.readings.n = 1", 2_200],
    ["FROM readings WHERE random() < 2 AND component_name IN ('other')", 700],
    ["FROM readings a JOIN readings b USING (time_received) WHERE a.component_name = 'other'", 2_200],
    ["FROM (SELECT * FROM readings WHERE component_name = 'other') WHERE time_received < '2000-01-01'", 700],
    [
      "FROM readings WHERE component_name = 'other' UNION ALL FROM readings WHERE time_received < '2026-06-01 00:00:01'",
      2_200,
    ],
    [
      "WITH r AS (FROM readings WHERE component_name = 'other') SELECT * FROM r WHERE component_name = 'temperature'",
      700,
    ],
    ["WITH readings AS (FROM readings) SELECT * FROM readings WHERE component_name = 'other'", 2_200],
    ["FROM query_table('readings')", 2_200],
    ['SUMMARIZE readings', 2_200],
    ["FROM readings WHERE component_name = 'other' AND data.readings.n < 1e400::DOUBLE", 2_200],
    ['SELECT 1', 0],
  ])('%s is given %i readings, and answers as if it had all', async (sql, readings) => {
    const queries = open();
    const pruned = await run(queries, sql);
    // The join with an unrestricted count makes the process get all readings: the answer has to be the same.
    const all = await run(
      queries,
      `SELECT * FROM (${sql}) CROSS JOIN (SELECT count(*) AS everything FROM readings x, (SELECT 1) y)`,
    );
    expect([pruned.readings, all.readings]).toEqual([readings, 2_200]);
    const sorted = (rows: readonly unknown[], columns: number): string[] =>
      rows.map((row) => JSON.stringify((row as unknown[]).slice(0, columns))).sort();
    const count = pruned.columns.length;
    if (!sql.startsWith('SUMMARIZE')) expect(sorted(rowsOf(all), count)).toEqual(sorted(rowsOf(pruned), count));
    await queries.close();
  });

  it('refuses a query that needs too many readings, and says how to narrow it', async () => {
    const queries = open({ readings: 1_000 });
    await expect(run(queries, 'SELECT count(*) FROM readings')).rejects.toMatchObject({
      code: 'call.too_large',
      message: expect.stringContaining('WHERE time_received >=') as string,
    });
    const fewer = await run(queries, "SELECT count(*) FROM readings WHERE component_name = 'other'");
    expect(rowsOf(fewer)).toEqual([[700]]);
    const bytes = open({ payloadBytes: 10_000 });
    await expect(run(bytes, 'FROM readings')).rejects.toMatchObject({ code: 'call.too_large' });
  });

  it('refuses an answer that is too long', async () => {
    const queries = open({ answerRows: 100, answerBytes: 10_000 });
    await expect(run(queries, 'FROM range(101)')).rejects.toMatchObject({
      code: 'call.too_large',
      message: expect.stringContaining('100 rows') as string,
    });
    await expect(run(queries, "SELECT repeat('x', 10000)")).rejects.toMatchObject({ code: 'call.too_large' });
    expect(rowsOf(await run(queries, 'FROM range(100)'))).toHaveLength(100);
  });

  it('ends a query at the time limit, and answers the next', async () => {
    const pids: number[] = [];
    const queries = open({ timeMs: 2_000 }, { onProcess: ({ pid = 0 }) => pids.push(pid) });
    await expect(run(queries, endless)).rejects.toMatchObject({
      code: 'call.deadline_exceeded',
      message: expect.stringContaining('2 s') as string,
    });
    expect(() => kill(pids[0] ?? 0, 0)).toThrow('ESRCH');
    expect(rowsOf(await run(queries, 'SELECT 1'))).toEqual([[1]]);
  });

  it('ends a query when its call is cancelled, and when the hub closes', async () => {
    const started = Promise.withResolvers<QueryProcess>();
    const queries = open({}, { onProcess: (process) => started.resolve(process) });
    const controller = new AbortController();
    const gone = run(queries, endless, controller.signal);
    const { pid = 0 } = await started.promise;
    controller.abort();
    await expect(gone).rejects.toMatchObject({ code: 'call.cancelled' });
    expect(() => kill(pid, 0)).toThrow('ESRCH');

    const again = Promise.withResolvers<QueryProcess>();
    const closing = open({}, { onProcess: (process) => again.resolve(process) });
    const ended = expect(run(closing, endless)).rejects.toMatchObject({ code: 'call.cancelled' });
    const second = await again.promise;
    await closing.close();
    await ended;
    expect(() => kill(second.pid ?? 0, 0)).toThrow('ESRCH');
  });

  it.each([
    'SELECT list(a.range) FROM range(10000000000) a',
    "SELECT list_transform(range(100), x -> repeat('x', 50000000) || x)",
    "SELECT string_agg(repeat('y', 1000000) || range, '') FROM range(100000)",
    "SELECT a.range, repeat('z', 10000000) || a.range AS text FROM range(1000) a ORDER BY text",
  ])('a query that takes all memory does not affect the hub: %s', async (sql) => {
    const before = process.memoryUsage.rss();
    const queries = open({ engineBytes: 128 * MIB, processBytes: 512 * MIB });
    await expect(run(queries, sql)).rejects.toMatchObject({ code: 'call.too_large' });
    expect(process.memoryUsage.rss() - before).toBeLessThan(256 * MIB);
    expect(rowsOf(await run(queries, 'SELECT count(*) FROM readings'))).toEqual([[2_200]]);
  });

  it('reports that the process of a query was killed, and answers the next', async () => {
    const started = Promise.withResolvers<QueryProcess>();
    const queries = open({}, { onProcess: (process) => started.resolve(process) });
    const killed = expect(run(queries, endless)).rejects.toMatchObject({
      code: 'peer.unreachable',
      message: expect.stringMatching(/SIGKILL.*run the query again/) as string,
    });
    kill((await started.promise).pid ?? 0, 'SIGKILL');
    await killed;
    expect(rowsOf(await run(queries, 'SELECT 1'))).toEqual([[1]]);
  });

  it('passes nothing of the environment to the process', async () => {
    process.env['ARMATURE_SQL_SECRET'] = 'secret';
    const started = Promise.withResolvers<QueryProcess>();
    const queries = open({}, { onProcess: (process) => started.resolve(process) });
    const controller = new AbortController();
    const running = run(queries, endless, controller.signal).catch(() => undefined);
    const { pid = 0 } = await started.promise;
    if (process.platform === 'linux') {
      // Right after the fork, the process still has the environment of this one.
      await vi.waitFor(async () => {
        const lines = (await readFile(`/proc/${pid}/environ`, 'utf8')).split('\0').filter((line) => line !== '');
        const names = lines.map((line) => line.split('=')[0]).filter((name) => name !== 'PWD');
        expect(names.sort()).toEqual(['NODE_CHANNEL_FD', 'NODE_CHANNEL_SERIALIZATION_MODE']);
      });
    }
    controller.abort();
    await running;
    delete process.env['ARMATURE_SQL_SECRET'];
  });

  it('says what is missing where the engine is not installed', async () => {
    const queries = open({}, { engine: '@duckdb/not-there' });
    await expect(run(queries, 'SELECT 1')).rejects.toMatchObject({
      code: 'call.failed_precondition',
      message: expect.stringContaining('npm install @duckdb/not-there') as string,
    });
  });
});
