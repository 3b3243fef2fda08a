import type { ChildProcess } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { IsMovingRequest } from '../../../proto/gen/core/component/motor/v1/motor.ts';
import { freePort } from '../../../src-main/rpc/port/free-port.ts';
import type { BenchContext, Measure, Outcome, Row, Target } from '../measure.ts';
import { endProcess, SERVER_CPU, spawnNode } from '../pinned-process.ts';
import { cpuMicros, memoryOf } from '../process-figures.ts';
import type { LoadOptions, LoadResult } from '../rpc/load-generator.ts';
import { LoadProcess } from '../rpc/load-process.ts';
import { isAnswered } from '../rpc/one-call.ts';
import { isMovingMessage, isMovingPath, startArmature } from '../servers/armature.ts';
import { firstAnswer } from '../servers/first-answer.ts';
import { buildGoModule, GO_SENSOR_MODEL } from '../servers/go-module.ts';
import { getReadings, getReadingsPath } from '../servers/modules.ts';
import { startViamServer, viamServerProgram } from '../servers/viam-server.ts';
import { median, rowOf, type Rounds } from '../statistics.ts';

const START_LIMIT_MS = 30_000;
const SETTLE_MS = 5_000;
const REST_MS = 10_000;
const LOAD_MS = 2_000;
const SENSOR = 'warm';

/** What this measurement needs to know of both servers. */
interface Server {
  readonly child: ChildProcess;
  readonly port: number;
  readonly configPath: string;
  readonly startedAt: number;
  /** Ours allows more concurrent calls to a caller who proves to be the owner; the public one does not ask. */
  readonly token?: string;
  end(): Promise<void>;
}

type Start = (config: (port: number) => string) => Promise<Server>;

interface Servers {
  readonly ours: Start;
  readonly peer: Start;
  /** Plain HTTP/2 in Node, which has no configuration. */
  readonly bare: Start;
}

const motor = (name: string): object => ({
  name,
  api: 'rdk:component:motor',
  model: 'fake',
  attributes: { max_rpm: 100 },
});

/** One document that both understand. */
const documentOf = (port: number, components: readonly object[], modules: readonly object[] = []): string =>
  JSON.stringify({ network: { bind_address: `127.0.0.1:${port}` }, modules, components });

const oneMotor = (port: number): string => documentOf(port, [motor('left')]);

/** Our server compared with the public one: from its start to a call through a module. */
export const viamServer: Measure = {
  name: 'viam-server',
  isDefault: true,
  async run(context): Promise<readonly Outcome[]> {
    const program = viamServerProgram();
    const { scratchFolder: scratch, note } = context;
    note('viam-server, building a module in Go');
    const module = await buildGoModule();
    const servers: Servers = {
      ours: (config) => startArmature(scratch, config),
      peer: (config) => startViamServer(program, scratch, config),
      bare: () => startBareNode(),
    };
    return [
      ...(await startRows(servers, context)),
      ...(await restRows(servers, context)),
      ...(await callRows(servers, context)),
      await applyRow(servers, context),
      ...(await moduleRows(servers, context, module)),
    ];
  },
};

async function startRows(servers: Servers, { rounds, note }: BenchContext): Promise<Outcome[]> {
  note('viam-server, start');
  const times: Record<keyof Servers, number[]> = { ours: [], peer: [], bare: [] };
  // The first start compiles and writes files.
  for (let round = 0; round <= rounds; round++) {
    for (const name of ['ours', 'peer', 'bare'] as const) {
      const server = await servers[name](oneMotor);
      try {
        const ms = (await answeredAt(server)) - server.startedAt;
        if (round > 0) times[name].push(ms);
      } finally {
        await server.end();
      }
    }
  }
  const row = (name: string, what: string, ours: readonly number[], target?: Target): Row =>
    rowOf({ name, what: `${what} / viam-server`, unit: 'ms', target }, { ours, peer: times.peer }, {});
  return [
    row('viam-server, start', 'exec to IsMoving answered', times.ours, { kind: 'at most', value: 2 }),
    row('viam-server, start of bare Node', 'exec to an answer of bare HTTP/2 in Node', times.bare),
  ];
}

async function restRows(servers: Servers, { rounds, note }: BenchContext): Promise<Outcome[]> {
  note('viam-server, at rest');
  const memory: Record<keyof Servers, number[]> = { ours: [], peer: [], bare: [] };
  const cpu: Record<keyof Servers, number[]> = { ours: [], peer: [], bare: [] };
  for (let round = 0; round < rounds; round++) {
    for (const name of ['ours', 'peer', 'bare'] as const) {
      const server = await servers[name](oneMotor);
      try {
        await answeredAt(server);
        await pause(SETTLE_MS);
        memory[name].push(memoryOf(server.child).anonymousMib);
        const before = cpuMicros(server.child);
        await pause(REST_MS);
        cpu[name].push((cpuMicros(server.child) - before) / (REST_MS / 1_000));
      } finally {
        await server.end();
      }
    }
  }
  const memoryRow = (name: string, what: string, ours: readonly number[], target?: Target): Row =>
    rowOf({ name, what: `${what} / viam-server`, unit: 'MiB', target }, { ours, peer: memory.peer }, {});
  return [
    memoryRow('viam-server, memory', 'no file, 5 s after the first answer', memory.ours, { kind: 'at most', value: 2 }),
    memoryRow('viam-server, memory of bare Node', 'the same of bare HTTP/2 in Node', memory.bare),
    rowOf(
      { name: 'viam-server, at rest', what: 'processor time a second / viam-server', unit: 'us', target: undefined },
      { ours: cpu.ours, peer: cpu.peer },
      {},
    ),
  ];
}

async function callRows(servers: Servers, context: BenchContext): Promise<Outcome[]> {
  const load = new LoadProcess();
  const ours = await servers.ours(oneMotor);
  const peer = await servers.peer(oneMotor);
  try {
    await Promise.all([answeredAt(ours), answeredAt(peer)]);
    const call = { path: isMovingPath, message: isMovingMessage };
    context.note('viam-server, calls');
    const calls = await inTurns(load, ours, peer, { ...call, inFlight: 64 }, context.rounds);
    const many = await inTurns(load, ours, peer, { ...call, inFlight: 100 }, context.rounds);
    return [
      rowOf(
        {
          name: 'viam-server, calls',
          what: 'IsMoving, 64 in flight / viam-server',
          unit: 'calls/s',
          target: undefined,
        },
        roundsOf(calls, ({ callsPerSecond }) => callsPerSecond),
        {},
      ),
      rowOf(
        {
          name: 'viam-server, p99',
          what: 'IsMoving, 100 in flight / viam-server',
          unit: 'ms',
          target: { kind: 'at most', value: 0.5 },
        },
        roundsOf(many, ({ p99Ms }) => p99Ms),
        { 'p50 of ours, ms': median(many.ours.map(({ p50Ms }) => p50Ms)) },
      ),
    ];
  } finally {
    await Promise.all([load, ours, peer].map((running) => running.end()));
  }
}

/** From writing a configuration file with one more motor until that motor answers. */
async function applyRow(servers: Servers, { rounds, note }: BenchContext): Promise<Outcome> {
  note('viam-server, applying');
  const ours = await servers.ours(oneMotor);
  const peer = await servers.peer(oneMotor);
  try {
    await Promise.all([answeredAt(ours), answeredAt(peer)]);
    const apply = async (server: Server, count: number): Promise<number> => {
      const names = Array.from({ length: count }, (_, index) => `motor-${index}`);
      const begin = performance.now();
      await writeFile(server.configPath, documentOf(server.port, ['left', ...names].map(motor)));
      return (await answeredAt(server, names.at(-1))) - begin;
    };
    const times: Rounds & { ours: number[]; peer: number[] } = { ours: [], peer: [] };
    for (let round = 0; round <= rounds; round++) {
      const figures = [await apply(ours, round + 1), await apply(peer, round + 1)] as const;
      if (round === 0) continue;
      times.ours.push(figures[0]);
      times.peer.push(figures[1]);
    }
    return rowOf(
      {
        name: 'viam-server, applying',
        what: 'a motor is written into the file, until it answers / viam-server',
        unit: 'ms',
        target: undefined,
      },
      times,
      {},
    );
  } finally {
    await Promise.all([ours, peer].map((running) => running.end()));
  }
}

async function moduleRows(servers: Servers, { rounds, note }: BenchContext, program: string): Promise<Outcome[]> {
  const config = (port: number): string =>
    documentOf(
      port,
      [motor('left'), { name: SENSOR, api: 'rdk:component:sensor', model: GO_SENSOR_MODEL }],
      [{ name: 'bench', type: 'local', executable_path: program }],
    );
  const load = new LoadProcess();
  const ours = await servers.ours(config);
  const peer = await servers.peer(config);
  const message = getReadings(SENSOR);
  try {
    for (const server of [ours, peer]) {
      await firstAnswer(server.child, () => isAnswered(server.port, getReadingsPath, message), START_LIMIT_MS);
    }
    const outcomes: Outcome[] = [];
    for (const inFlight of [10, 1]) {
      note(`viam-server, through a module, ${inFlight} in flight`);
      const figures = await inTurns(load, ours, peer, { path: getReadingsPath, message, inFlight }, rounds);
      outcomes.push(
        rowOf(
          {
            name: `viam-server, module, ${inFlight} in flight`,
            what: 'readings of a module in Go, through us / through viam-server',
            unit: 'calls/s',
            target: { kind: 'at least', value: 1.6 },
          },
          roundsOf(figures, ({ callsPerSecond }) => callsPerSecond),
          { 'p50 of ours, ms': median(figures.ours.map(({ p50Ms }) => p50Ms)) },
        ),
      );
    }
    return outcomes;
  } finally {
    await Promise.all([load, ours, peer].map((running) => running.end()));
  }
}

/** When a motor first answers, by `performance.now()`. */
function answeredAt({ child, port }: Server, name = 'left'): Promise<number> {
  const message = [...IsMovingRequest.encode({ name }).finish()];
  return firstAnswer(child, () => isAnswered(port, isMovingPath, message), START_LIMIT_MS);
}

interface InTurns {
  readonly ours: readonly LoadResult[];
  readonly peer: readonly LoadResult[];
}

async function inTurns(
  load: LoadProcess,
  ours: Server,
  peer: Server,
  options: Pick<LoadOptions, 'path' | 'message' | 'inFlight'>,
  rounds: number,
): Promise<InTurns> {
  const run = ({ port, token }: Server): Promise<LoadResult> =>
    load.run({ ...options, port, token, durationMs: LOAD_MS });
  const figures: { ours: LoadResult[]; peer: LoadResult[] } = { ours: [], peer: [] };
  // The first round warms up.
  for (let round = 0; round <= rounds; round++) {
    const both = [await run(ours), await run(peer)] as const;
    if (round === 0) continue;
    figures.ours.push(both[0]);
    figures.peer.push(both[1]);
  }
  return figures;
}

function roundsOf({ ours, peer }: InTurns, figure: (result: LoadResult) => number): Rounds {
  return { ours: ours.map(figure), peer: peer.map(figure) };
}

async function startBareNode(): Promise<Server> {
  const port = await freePort();
  const program = path.join(import.meta.dirname, '../servers/bare-node.mjs');
  const startedAt = performance.now();
  const child = spawnNode([program, String(port)], { cpu: SERVER_CPU, environment: {}, hasChannel: false });
  return { child, port, configPath: '', startedAt, end: () => endProcess(child) };
}
