import { spawn, type ChildProcess } from 'node:child_process';
import { setTimeout as pause } from 'node:timers/promises';
import { DoCommandRequest } from '../../../proto/gen/core/common/v1/common.ts';
import { GrpcClient } from '../../harness/grpc-client.ts';
import type { Measure, Outcome } from '../measure.ts';
import { endAtExit, endProcess } from '../pinned-process.ts';
import { forgetPeak, memoryOf, peakMib } from '../process-figures.ts';
import { isAnswered } from '../rpc/one-call.ts';
import { startArmature } from '../servers/armature.ts';
import { firstAnswer } from '../servers/first-answer.ts';
import { benchModule, getReadings, getReadingsPath, modulesConfig } from '../servers/modules.ts';
import { rowOf } from '../statistics.ts';

const LINES = 1_000_000;
/** Enough for the log to have reached each of its sizes: growth after that would never end. */
const WARM_UP_LINES = 50_000;
const FLOOD_LIMIT_MS = 300_000;
const SETTLE_MS = 1_000;
const LIMIT_MS = 30_000;

interface Growth {
  /** Peak resident memory above that before, MiB. */
  readonly mib: number;
  readonly linesPerSecond: number;
}

/** The kernel keeps the peak, so that none is missed between two readings. */
async function growthOf(child: ChildProcess, lines: number, flood: () => Promise<unknown>): Promise<Growth> {
  const before = memoryOf(child).rssMib;
  forgetPeak(child);
  const startedAt = performance.now();
  await flood();
  const seconds = (performance.now() - startedAt) / 1_000;
  // The last lines are still being read.
  await pause(SETTLE_MS);
  return { mib: peakMib(child) - before, linesPerSecond: lines / seconds };
}

/** The minimum that reads lines: Node's readline on a pipe, which discards them. */
async function bareReader(): Promise<Growth> {
  const program = "require('node:readline').createInterface({input: process.stdin}).on('line', () => {})";
  const child = spawn(process.execPath, ['-e', program], { stdio: ['pipe', 'ignore', 'inherit'] });
  endAtExit(child);
  const write = async (from: number, count: number): Promise<void> => {
    for (let at = from; at < from + count; at += 1_000) {
      const block = Array.from({ length: 1_000 }, (_, index) => `INFO flood ${at + index}\n`).join('');
      if (child.stdin?.write(block) === false) await new Promise((resolve) => child.stdin?.once('drain', resolve));
    }
  };
  await write(0, WARM_UP_LINES);
  const growth = await growthOf(child, LINES, () => write(WARM_UP_LINES, LINES));
  await endProcess(child);
  return growth;
}

/** Memory of the machine while a module prints a million lines as fast as they are read. */
export const moduleLogLines: Measure = {
  name: 'module-log-lines',
  isDefault: true,
  async run({ scratchFolder, note }): Promise<readonly Outcome[]> {
    const talking = await benchModule(scratchFolder, 'talking');
    const server = await startArmature(scratchFolder, (port) =>
      modulesConfig(port, [talking.module], [talking.sensor]),
    );
    const client = new GrpcClient(server);
    try {
      const ask = (): Promise<boolean> => isAnswered(server.port, getReadingsPath, getReadings(talking.sensorName));
      await firstAnswer(server.child, ask, LIMIT_MS);
      const flood = (lines: number): Promise<unknown> => {
        const bytes = DoCommandRequest.encode({ name: talking.sensorName, command: { flood: lines } }).finish();
        const path = '/viam.component.sensor.v1.SensorService/DoCommand';
        return client.raw(path, bytes, { timeoutMs: FLOOD_LIMIT_MS });
      };
      await flood(WARM_UP_LINES);
      note(`${LINES} lines`);
      const ours = await growthOf(server.child, LINES, () => flood(LINES));
      const peer = await bareReader();
      return [
        rowOf(
          {
            name: 'module, a million lines',
            what: 'most that the memory grew while a module printed them / readline that drops them',
            unit: 'MiB',
            target: { kind: 'at most', value: 20, of: 'ours' },
          },
          { ours: [ours.mib], peer: [peer.mib] },
          { 'lines a second': ours.linesPerSecond, 'lines a second of the peer': peer.linesPerSecond },
        ),
      ];
    } finally {
      client.close();
      await server.end();
    }
  },
};
