import type { ChildProcess } from 'node:child_process';
import { cpuMicros } from '../process-figures.ts';
import { isMovingMessage, isMovingPath } from '../servers/armature.ts';
import type { LoadProcess } from './load-process.ts';

const IN_FLIGHT = 64;
const ROUND_MS = 2_000;

/** A server that answers IsMoving. */
export interface CallTarget {
  readonly child: ChildProcess;
  readonly port: number;
  /** Its launch token, if it has one. */
  readonly token?: string;
}

export interface UnaryFigures {
  readonly callsPerSecond: number;
  /** Processor time per call of all threads of the server. */
  readonly cpuMicrosPerCall: number;
  /** Processor time of the server a second: 1 is one fully used processor. */
  readonly serverLoad: number;
}

/** One round of IsMoving, 64 calls in flight on one connection. */
export async function unaryRound(load: LoadProcess, { child, port, token }: CallTarget): Promise<UnaryFigures> {
  const before = cpuMicros(child);
  const { calls, callsPerSecond } = await load.run({
    port,
    path: isMovingPath,
    message: isMovingMessage,
    inFlight: IN_FLIGHT,
    token,
    durationMs: ROUND_MS,
  });
  const cpuMicrosPerCall = (cpuMicros(child) - before) / calls;
  return { callsPerSecond, cpuMicrosPerCall, serverLoad: (cpuMicrosPerCall * callsPerSecond) / 1e6 };
}

export type UnaryRounds = Record<keyof UnaryFigures, number[]>;

/** Rounds against several servers in turn. The first round warms up and does not count. */
export async function interleaved<K extends string>(
  load: LoadProcess,
  targets: Readonly<Record<K, CallTarget>>,
  rounds: number,
): Promise<Record<K, UnaryRounds>> {
  const names = Object.keys(targets) as K[];
  const empty = (): UnaryRounds => ({ callsPerSecond: [], cpuMicrosPerCall: [], serverLoad: [] });
  const figures = Object.fromEntries(names.map((name) => [name, empty()])) as Record<K, UnaryRounds>;
  for (let round = 0; round <= rounds; round++) {
    for (const name of names) {
      const measured = await unaryRound(load, targets[name]);
      if (round === 0) continue;
      for (const key of Object.keys(measured) as (keyof UnaryFigures)[]) figures[name][key].push(measured[key]);
    }
  }
  return figures;
}
