import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { BoardServiceDefinition } from '../../proto/gen/core/component/board/v1/board.ts';
import {
  DescribeResponse_State,
  DiagnosticsServiceDefinition,
} from '../../proto/gen/core/diagnostics/v1/diagnostics.ts';
import { GrpcClient } from '../harness/grpc-client.ts';
import { runArmature, startServer, type ServerProcess } from '../harness/server-process.ts';
import { removeAfterTest, temporaryFolder } from '../harness/temporary-folder.ts';
import { until } from '../harness/until.ts';
import { bench, withModules } from '../harness/with-modules.ts';

interface Row {
  readonly metric: string;
  readonly unit: string;
  readonly last: number | null;
  readonly max: number | null;
}

const config = JSON.stringify({ network: { bind_address: 'localhost:0' }, components: [bench] });
const homeOf = ({ home }: ServerProcess): string => path.join(home, 'home');

/** The output of `armature diagnostics show`, by metric; empty where nothing was recorded yet. */
async function shown(home: string, ...args: string[]): Promise<Map<string, Row>> {
  const { stdout } = await runArmature(['diagnostics', 'show', '--json', ...args], { SVC_HOME: home });
  const rows = stdout === '' ? [] : (JSON.parse(stdout) as Row[]);
  return new Map(rows.map((row) => [row.metric, row]));
}

/** Waits until the command shows a metric, and returns it. */
async function metric(home: string, name: string, holds: (row: Row) => boolean = () => true): Promise<Row> {
  let row: Row | undefined;
  const isThere = async (): Promise<boolean> => {
    row = (await shown(home, '--metric', name)).get(name);
    return row !== undefined && holds(row);
  };
  await until(`${name} is recorded`, isThere, 60_000, 500);
  return row as unknown as Row;
}

function files(home: string): readonly string[] {
  const folder = path.join(home, 'diagnostics');
  return existsSync(folder) ? readdirSync(folder, { recursive: true, encoding: 'utf8' }) : [];
}

describe('full-time diagnostic data capture', () => {
  it(
    'has the computer, the program, its calls and its resources, for the command and for a call',
    { timeout: 120_000 },
    async () => {
      const server = await startServer({ config });
      onTestFinished(async () => void (await server.stop()));
      expect(server.stderr()).not.toContain('arrives with full-time');
      const client = new GrpcClient(server);
      onTestFinished(() => client.close());
      for (let at = 0; at < 7; at++) {
        await client.call(BoardServiceDefinition, 'setGPIO', { name: 'bench', pin: '11', high: true });
      }
      const home = homeOf(server);
      const setGpio = 'calls.core.component.board.v1.BoardService/SetGPIO';
      await metric(home, 'process.memory.resident', ({ last }) => (last ?? 0) > 10_000_000);
      await metric(home, `${setGpio}.in_flight`);
      expect(await metric(home, 'resource.core:component:board/bench.state')).toMatchObject({ last: 4 });
      expect((await metric(home, 'system.cpu.cores')).last).toBeGreaterThan(0);

      const exported = await runArmature(['diagnostics', 'export', '--csv', '-', '--metric', `${setGpio}.requests`], {
        SVC_HOME: home,
      });
      const lines = exported.stdout.trim().split('\n');
      expect(lines[0]).toBe(`time,${setGpio}.requests`);
      expect(lines.at(-1)).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z,7$/);

      const told = await client.call(DiagnosticsServiceDefinition, 'describe', { start: undefined, end: undefined });
      expect(told.state).toBe(DescribeResponse_State.RECORDING);
      expect(told.metrics.map(({ name }) => name)).toContain(`${setGpio}.requests`);
      const now = told.now?.getTime() ?? 0;
      const { series } = await client.call(DiagnosticsServiceDefinition, 'query', {
        metrics: ['process.memory.resident'],
        start: new Date(now - 60_000),
        end: new Date(now + 1_000),
        stretches: 1,
      });
      expect(series[0]?.max[0]).toBeGreaterThan(10_000_000);
    },
  );

  it('loses no more than seconds to a kill, and goes on behind it', { timeout: 180_000 }, async () => {
    const first = await startServer({ config });
    removeAfterTest(first.home);
    const home = homeOf(first);
    await metric(home, 'process.uptime', ({ last }) => last !== null);
    await first.crash();
    const diedAt = Date.now();
    const exported = async (): Promise<readonly number[]> => {
      const { stdout } = await runArmature(['diagnostics', 'export', '--json', '-', '--metric', 'process.uptime'], {
        SVC_HOME: home,
      });
      return stdout
        .trim()
        .split('\n')
        .slice(1)
        .map((line) => Date.parse((JSON.parse(line) as { time: string }).time));
    };
    const before = await exported();
    expect(before.length).toBeGreaterThan(4);
    // At most five samples are waiting, and one may have been in transit.
    expect(diedAt - (before.at(-1) ?? 0)).toBeLessThan(10_000);

    const second = await startServer({ config, home: first.home });
    onTestFinished(async () => void (await second.stop()));
    await until('it goes on', async () => ((await exported()).at(-1) ?? 0) > diedAt, 60_000, 500);
    expect((await exported()).slice(0, before.length)).toEqual(before);
    // The activity of a machine and its callers is private.
    for (const name of files(home)) {
      const { mode } = statSync(path.join(home, 'diagnostics', name));
      expect(mode & 0o077, name).toBe(0);
    }
  });

  it('has each module with the processor time and memory of its process', { timeout: 180_000 }, async (context) => {
    const machine = await withModules(context, { modules: [{ name: 'acme', kind: 'node-grpc' }] });
    const pid = await machine.moduleReady('acme');
    const home = homeOf(machine.server);
    const memory = await metric(home, 'module.acme.memory.resident', ({ last }) => (last ?? 0) > 1_000_000);
    expect(memory.unit).toBe('B');
    const pages = Number(readFileSync(`/proc/${pid}/statm`, 'latin1').split(' ')[1]);
    expect(Math.abs((memory.last ?? 0) - pages * 4_096) / (pages * 4_096)).toBeLessThan(0.5);
    await metric(home, 'module.acme.cpu');
  });

  it('-ftdc=false records nothing, and the call says so', { timeout: 60_000 }, async () => {
    const server = await startServer({ config, args: ['-ftdc=false'] });
    onTestFinished(async () => void (await server.stop()));
    const client = new GrpcClient(server);
    onTestFinished(() => client.close());
    const { state, metrics } = await client.call(DiagnosticsServiceDefinition, 'describe', {
      start: undefined,
      end: undefined,
    });
    expect([state, metrics]).toEqual([DescribeResponse_State.OFF, []]);
    expect(files(homeOf(server))).toEqual([]);
    expect(server.stderr()).not.toContain('arrives with');
  });
});

describe('armature diagnostics', () => {
  it.each([
    [['show'], 1, /Nothing was recorded: .* has no records/],
    [['show', '--since', 'yesterday'], 2, /--since is "yesterday"; it has to be a duration, for example 90s/],
    [['show', '--since', '1m', '--until', '1h'], 2, /--since has to be further back than --until/],
    [['export'], 2, /Say where to: --csv FILE or --json FILE/],
    [['dump'], 2, /"dump" is no command/],
    [['show', '--folder', '/no/such/folder'], 1, /\/no\/such\/folder has no records/],
  ])('%j ends with %d and the next step', async (args, code, message) => {
    const run = await runArmature(['diagnostics', ...args], { SVC_HOME: await temporaryFolder() });
    expect(run.stderr).toMatch(message);
    expect([run.code, run.stdout]).toEqual([code, '']);
  });
});
