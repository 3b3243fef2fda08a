import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { serverKinds, type FromServer, type ServerKind } from './echo-server.ts';
import { runLoad } from './load-generator.ts';
import { isMovingMessage, isMovingPath } from './motor-messages.ts';

export interface UnaryBenchOptions {
  readonly inFlight: number;
  /** Rounds that count; one before them warms up. */
  readonly rounds: number;
  readonly roundMs: number;
}

/** Medians over the rounds. */
export interface UnaryFigures {
  readonly callsPerSecond: number;
  /** Processor time of the server alone, microseconds a call: other load on the machine changes it little. */
  readonly serverMicrosPerCall: number;
}

interface Server {
  readonly child: ChildProcess;
  readonly port: number;
}

async function startServer(kind: ServerKind): Promise<Server> {
  const child = fork(fileURLToPath(new URL('./echo-server.ts', import.meta.url)), [kind]);
  const [message] = (await once(child, 'message')) as [FromServer];
  if (!('port' in message)) throw new Error(`The server ${kind} did not tell its port.`);
  return { child, port: message.port };
}

async function cpuMicros(child: ChildProcess): Promise<number> {
  const answer = once(child, 'message');
  child.send({ ask: 'cpu' });
  const [message] = (await answer) as [FromServer];
  return 'cpuMicros' in message ? message.cpuMicros : Number.NaN;
}

export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
}

/**
 * Measures a unary IsMoving of 20 bytes on every kind of server, each in its
 * own process, taking turns so that a busy moment of the machine meets all.
 */
export async function measureUnary(options: UnaryBenchOptions): Promise<Record<ServerKind, UnaryFigures>> {
  const servers = new Map<ServerKind, Server>();
  const rates = new Map<ServerKind, number[]>(serverKinds.map((kind) => [kind, []]));
  const costs = new Map<ServerKind, number[]>(serverKinds.map((kind) => [kind, []]));
  try {
    for (const kind of serverKinds) servers.set(kind, await startServer(kind));
    for (let round = 0; round <= options.rounds; round++) {
      for (const [kind, { child, port }] of servers) {
        const before = await cpuMicros(child);
        const result = await runLoad({
          port,
          path: isMovingPath,
          message: isMovingMessage,
          inFlight: options.inFlight,
          durationMs: options.roundMs,
        });
        if (result.failures > 0) throw new Error(`${result.failures} calls to ${kind} failed.`);
        if (round === 0) continue;
        rates.get(kind)?.push(result.callsPerSecond);
        costs.get(kind)?.push(((await cpuMicros(child)) - before) / result.calls);
      }
    }
  } finally {
    for (const { child } of servers.values()) child.disconnect();
  }
  return Object.fromEntries(
    serverKinds.map((kind) => [
      kind,
      { callsPerSecond: median(rates.get(kind) ?? []), serverMicrosPerCall: median(costs.get(kind) ?? []) },
    ]),
  ) as Record<ServerKind, UnaryFigures>;
}

/** The figures as lines of text, each with its ratio to grpc-js of the same run. */
export function unaryTable(figures: Record<ServerKind, UnaryFigures>): string {
  const base = figures['grpc-js'];
  const rows = serverKinds.map((kind) => {
    const { callsPerSecond, serverMicrosPerCall } = figures[kind];
    return [
      kind.padEnd(18),
      `${Math.round(callsPerSecond)}`.padStart(7),
      `x${(callsPerSecond / base.callsPerSecond).toFixed(2)}`.padStart(6),
      `${serverMicrosPerCall.toFixed(1)}`.padStart(8),
      `x${(base.serverMicrosPerCall / serverMicrosPerCall).toFixed(2)}`.padStart(6),
    ].join(' ');
  });
  return ['server             calls/s  ratio  us/call  ratio', ...rows].join('\n');
}

if (import.meta.main) {
  const figures = await measureUnary({ inFlight: 64, rounds: 5, roundMs: 1_500 });
  process.stdout.write(`${unaryTable(figures)}\n`);
}
