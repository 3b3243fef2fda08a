import path from 'node:path';
import { echo, encodeEcho } from '../../../src-main/rpc/testing/echo-service.ts';
import type { BenchContext, Measure, Outcome } from '../measure.ts';
import { cpuMicros } from '../process-figures.ts';
import { readFrames } from '../rpc/frame-stream.ts';
import { LoadProcess } from '../rpc/load-process.ts';
import { FRAME_BYTES, repeatPath, sayPath, startForwarding, type ForwardingServer } from '../servers/forwarding.ts';
import { median, rowOf } from '../statistics.ts';

const ROUND_MS = 1_500;
const FRAMES = 200;
/** The largest first: a program that gets one call after another is still being compiled rounds later. */
const IN_FLIGHT = [100, 10, 1] as const;

interface Figures {
  readonly callsPerSecond: number[];
  readonly p50Ms: number[];
  readonly p99Ms: number[];
  readonly cpuMicros: number[];
}

type Name = 'direct' | 'ours' | 'grpcJs';
type Targets = Readonly<Record<Name, ForwardingServer>>;
const names: readonly Name[] = ['direct', 'ours', 'grpcJs'];

/** Unary calls of a few bytes, in each of the three ways in turn; the first round warms up. */
async function callRounds(
  load: LoadProcess,
  targets: Targets,
  inFlight: number,
  rounds: number,
): Promise<Readonly<Record<Name, Figures>>> {
  const empty = (): Figures => ({ callsPerSecond: [], p50Ms: [], p99Ms: [], cpuMicros: [] });
  const figures = { direct: empty(), ours: empty(), grpcJs: empty() };
  const message = [...encodeEcho(echo('left', 7))];
  for (let round = 0; round <= rounds; round++) {
    for (const name of names) {
      const { child, port } = targets[name];
      const before = cpuMicros(child);
      const result = await load.run({ port, path: sayPath, message, inFlight, durationMs: ROUND_MS });
      if (round === 0) continue;
      figures[name].cpuMicros.push((cpuMicros(child) - before) / result.calls);
      figures[name].callsPerSecond.push(result.callsPerSecond);
      figures[name].p50Ms.push(result.p50Ms);
      figures[name].p99Ms.push(result.p99Ms);
    }
  }
  return figures;
}

function rowsOf(inFlight: number, { direct, ours, grpcJs }: Readonly<Record<Name, Figures>>): Outcome[] {
  const name = `module, ${inFlight} in flight`;
  const added = (figures: Figures, key: 'p50Ms' | 'p99Ms'): number[] =>
    figures[key].map((through, index) => (through - (direct[key][index] ?? Number.NaN)) * 1_000);
  const latency = (key: 'p50Ms' | 'p99Ms'): Outcome =>
    rowOf(
      {
        name: `${name}, ${key.slice(0, 3)}`,
        what: 'time that forwarding adds to a direct call / grpc-js, decoded and encoded',
        unit: 'us',
        target: undefined,
      },
      { ours: added(ours, key), peer: added(grpcJs, key) },
      { 'direct, us': median(direct[key]) * 1_000 },
    );
  return [
    latency('p50Ms'),
    latency('p99Ms'),
    rowOf(
      { name: `${name}, calls`, what: 'through us / through grpc-js', unit: 'calls/s', target: undefined },
      { ours: ours.callsPerSecond, peer: grpcJs.callsPerSecond },
      { 'direct, calls/s': median(direct.callsPerSecond) },
    ),
    rowOf(
      {
        name: `${name}, CPU`,
        what: 'the same, processor time a call',
        unit: 'us',
        target: { kind: 'at most', value: 0.5 },
      },
      { ours: ours.cpuMicros, peer: grpcJs.cpuMicros },
      {},
    ),
  ];
}

/** One stream of frames of 1 MB, in each of the three ways in turn. */
async function frameRow(targets: Targets, rounds: number): Promise<Outcome> {
  const message = [...encodeEcho(echo('left', FRAMES))];
  const speed: Record<Name, number[]> = { direct: [], ours: [], grpcJs: [] };
  const cpu: Record<Name, number[]> = { direct: [], ours: [], grpcJs: [] };
  for (let round = 0; round <= rounds; round++) {
    for (const name of names) {
      const { child, port } = targets[name];
      const before = cpuMicros(child);
      const bytesPerSecond = await readFrames(port, repeatPath, message);
      if (round === 0) continue;
      speed[name].push(bytesPerSecond / 1e6);
      cpu[name].push((cpuMicros(child) - before) / ((FRAMES * FRAME_BYTES) / 1e6));
    }
  }
  return rowOf(
    { name: 'module, 1 MB frames', what: 'one stream through us / through grpc-js', unit: 'MB/s', target: undefined },
    { ours: speed.ours, peer: speed.grpcJs },
    {
      'direct, MB/s': median(speed.direct),
      'CPU of ours, us a MB': median(cpu.ours),
      'CPU of the peer, us a MB': median(cpu.grpcJs),
    },
  );
}

/** The cost of a call to a module through the server, compared with a proxy that decodes and encodes. */
export const moduleForwarding: Measure = {
  name: 'module-forwarding',
  isDefault: true,
  async run({ rounds, scratchFolder, note }: BenchContext) {
    const socket = path.join(scratchFolder, 'module.sock');
    const load = new LoadProcess();
    const direct = await startForwarding('module', socket);
    const ours = await startForwarding('ours', socket);
    const grpcJs = await startForwarding('grpc-js', socket);
    const targets = { direct, ours, grpcJs };
    try {
      const outcomes: Outcome[] = [];
      for (const inFlight of IN_FLIGHT) {
        note(`module-forwarding, ${inFlight} in flight`);
        outcomes.push(...rowsOf(inFlight, await callRounds(load, targets, inFlight, rounds)));
      }
      note('module-forwarding, frames');
      outcomes.push(await frameRow(targets, rounds));
      return outcomes;
    } finally {
      await Promise.all([load, direct, ours, grpcJs].map((running) => running.end()));
    }
  },
};
