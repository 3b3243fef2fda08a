import { setTimeout as pause } from 'node:timers/promises';
import path from 'node:path';
import { DataManagerServiceDefinition } from '../../../proto/gen/core/service/datamanager/v1/data_manager.ts';
import { MachineClient } from '../../harness/machine-client.ts';
import type { Measure } from '../measure.ts';
import { endProcess, SERVER_CPU, spawnNode } from '../pinned-process.ts';
import { cpuMicros } from '../process-figures.ts';
import { msToVersion, startArmature } from '../servers/armature.ts';
import { rowOf } from '../statistics.ts';

const FAST_HZ = 1_000;
const SLOW_HZ = 100;
const SLOW_SENSORS = 50;
const WINDOW_MS = 10_000;
/** Time until code is compiled and files are open. */
const SETTLE_MS = 3_000;
const ROUNDS = 3;

const config = (port: number): string => {
  const sensor = (name: string, hz: number): object => ({
    name,
    api: 'core:component:sensor',
    model: 'fake',
    attributes: {},
    service_configs: [
      {
        type: 'data_manager',
        attributes: { capture_methods: [{ method: 'Readings', capture_frequency_hz: hz }] },
      },
    ],
  });
  return JSON.stringify({
    network: { bind_address: `127.0.0.1:${port}` },
    components: [
      sensor('fast', FAST_HZ),
      ...Array.from({ length: SLOW_SENSORS }, (_, index) => sensor(`slow-${index}`, SLOW_HZ)),
    ],
    services: [
      { name: 'data', api: 'core:service:data_manager', model: 'builtin', attributes: { sync_disabled: true } },
    ],
  });
};

interface Counted {
  readonly captured: number;
  readonly missed: number;
  readonly lost: number;
}

/** Readings at the rates of a busy bench: whether all are captured, and the processor time. */
export const dataCapture: Measure = {
  name: 'data-capture',
  isDefault: true,
  async run({ scratchFolder, note }) {
    const due = ((FAST_HZ + SLOW_HZ * SLOW_SENSORS) * WINDOW_MS) / 1_000;
    const ours: number[] = [];
    const peer: number[] = [];
    let captured = 0;
    let missed = 0;
    for (let round = 0; round < ROUNDS; round++) {
      note(`round ${round + 1}`);
      const server = await startArmature(scratchFolder, config);
      const client = new MachineClient(server.url);
      const counted = async (): Promise<Counted> => {
        const answer = await client.grpc.call(DataManagerServiceDefinition, 'getStatus', { name: 'data' });
        const { capturing, lost_readings: lost } = answer.result as unknown as {
          readonly capturing: readonly Counted[];
          readonly lost_readings: number;
        };
        const sum = (key: 'captured' | 'missed'): number => capturing.reduce((all, one) => all + one[key], 0);
        return { captured: sum('captured'), missed: sum('missed'), lost };
      };
      try {
        await msToVersion(server);
        await pause(SETTLE_MS);
        const [before, cpuBefore, at] = [await counted(), cpuMicros(server.child), performance.now()];
        await pause(WINDOW_MS);
        const [after, cpuAfter, seconds] = [await counted(), cpuMicros(server.child), (performance.now() - at) / 1_000];
        ours.push((cpuAfter - cpuBefore) / 1_000 / seconds);
        captured += ((after.captured - before.captured) / seconds) * (WINDOW_MS / 1_000);
        missed += after.missed - before.missed + after.lost - before.lost;
      } finally {
        client.close();
        await server.end();
      }
      peer.push(await peerMsPerSecond(path.join(scratchFolder, `bare-${round}.bin`)));
    }
    return [
      rowOf(
        {
          name: 'data capture',
          what: `processor time a second of ${FAST_HZ} Hz on one sensor and ${SLOW_HZ} Hz on ${SLOW_SENSORS} / timers and an unchecked append`,
          unit: 'ms',
          target: undefined,
        },
        { ours, peer },
        {
          'readings of those due': Math.round((captured / ROUNDS / due) * 10_000) / 10_000,
          'readings that were missed or lost': missed,
        },
      ),
    ];
  },
};

async function peerMsPerSecond(file: string): Promise<number> {
  const program = path.join(import.meta.dirname, '../servers/bare-capture.ts');
  const rates = [FAST_HZ, 1, SLOW_HZ, SLOW_SENSORS].map(String);
  const child = spawnNode([program, file, ...rates], { cpu: SERVER_CPU, environment: {}, hasChannel: false });
  try {
    await pause(SETTLE_MS);
    const [cpuBefore, at] = [cpuMicros(child), performance.now()];
    await pause(WINDOW_MS);
    return (cpuMicros(child) - cpuBefore) / 1_000 / ((performance.now() - at) / 1_000);
  } finally {
    await endProcess(child);
  }
}
