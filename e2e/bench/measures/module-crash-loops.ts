import { chmod, mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { GrpcClient } from '../../harness/grpc-client.ts';
import type { Measure, Outcome } from '../measure.ts';
import { cpuMicros } from '../process-figures.ts';
import { isAnswered } from '../rpc/one-call.ts';
import { startArmature, type ArmatureServer } from '../servers/armature.ts';
import { firstAnswer } from '../servers/first-answer.ts';
import { benchModule, getReadings, getReadingsPath, modulesConfig, ModuleStates } from '../servers/modules.ts';
import { rowOf } from '../statistics.ts';

const LOOPS = 50;
/**
 * Consecutive failures after which a module waits for a minute: the cost from then on, which never ends, is measured.
 */
const SETTLED_ATTEMPTS = 7;
const SETTLE_LIMIT_MS = 240_000;
const REST_MS = 30_000;
const CALLS = 2_000;
const LIMIT_MS = 30_000;

/** p99 of calls one after the other, in ms. */
async function p99(server: ArmatureServer, sensor: string): Promise<number> {
  const client = new GrpcClient(server);
  const bytes = Uint8Array.from(getReadings(sensor));
  const times: number[] = [];
  for (let call = 0; call < CALLS; call++) {
    const startedAt = performance.now();
    await client.raw(getReadingsPath, bytes);
    times.push(performance.now() - startedAt);
    await pause(2);
  }
  client.close();
  times.sort((a, b) => a - b);
  return times[Math.floor(CALLS * 0.99)] ?? Number.NaN;
}

interface Figures {
  /** Share of a core while idle, percent. */
  readonly cpu: number;
  readonly p99Ms: number;
}

/** Fifty modules that exit as soon as they are started, next to one that works. */
export const moduleCrashLoops: Measure = {
  name: 'module-crash-loops',
  isDefault: true,
  async run({ rounds, scratchFolder, note }): Promise<readonly Outcome[]> {
    const good = await benchModule(scratchFolder, 'good');
    const loops: object[] = [];
    for (let index = 0; index < LOOPS; index++) {
      const folder = path.join(scratchFolder, `loop-${index}`);
      const program = path.join(folder, 'run.sh');
      await mkdir(folder);
      await writeFile(program, '#!/bin/sh\nexit 1\n');
      await chmod(program, 0o755);
      const entry = { name: `loop-${index}`, type: 'local', module_id: `acme:loop-${index}`, version: '0.0.1' };
      loops.push({ ...entry, executable_path: program });
    }
    const start = async (modules: readonly object[]): Promise<ArmatureServer> => {
      const server = await startArmature(scratchFolder, (port) => modulesConfig(port, modules, [good.sensor]));
      const ask = (): Promise<boolean> => isAnswered(server.port, getReadingsPath, getReadings(good.sensorName));
      await firstAnswer(server.child, ask, LIMIT_MS);
      return server;
    };
    const looping = await start([good.module, ...loops]);
    const quiet = await start([good.module]);
    try {
      note(`waits until all ${LOOPS} have failed ${SETTLED_ATTEMPTS} times`);
      const states = new ModuleStates(looping);
      const endAt = performance.now() + SETTLE_LIMIT_MS;
      const failing = () => [...states.modules.values()].filter(({ name }) => name.startsWith('loop-'));
      while (failing().length < LOOPS || failing().some(({ attempts }) => attempts < SETTLED_ATTEMPTS)) {
        if (performance.now() > endAt) throw new Error(`they did not fail often enough in ${SETTLE_LIMIT_MS} ms`);
        await pause(500);
      }
      // Nobody follows the states from here on: that costs too, and is not measured.
      states.end();
      const measure = async (server: ArmatureServer): Promise<Figures> => {
        const before = cpuMicros(server.child);
        await pause(REST_MS);
        const cpu = ((cpuMicros(server.child) - before) / (REST_MS * 1_000)) * 100;
        return { cpu, p99Ms: await p99(server, good.sensorName) };
      };
      const ours: Figures[] = [];
      const peer: Figures[] = [];
      for (let round = 0; round < rounds; round++) {
        ours.push(await measure(looping));
        peer.push(await measure(quiet));
      }
      const of = (key: keyof Figures) => ({ ours: ours.map((one) => one[key]), peer: peer.map((one) => one[key]) });
      return [
        rowOf(
          {
            name: 'module crash loops, CPU',
            what: `${LOOPS} modules that end at once, when they are tried each minute / the same machine without them`,
            unit: '% of a core',
            target: { kind: 'at most', value: 1, of: 'ours' },
          },
          of('cpu'),
          {},
        ),
        rowOf(
          {
            name: 'module crash loops, p99',
            what: 'a reading of another module, one after the other / the same without them',
            unit: 'ms',
            target: { kind: 'at most', value: 1.2 },
          },
          of('p99Ms'),
          { calls: CALLS },
        ),
      ];
    } finally {
      await Promise.all([looping.end(), quiet.end()]);
    }
  },
};
