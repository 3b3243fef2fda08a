import { setTimeout as delay } from 'node:timers/promises';
import { openHardware } from '../../../native/index.js';
import { compiled } from '../hardware/compile.ts';
import { inVirtualBench } from '../hardware/virtual.ts';
import type { BenchContext, Measure, Outcome, Row, Target } from '../measure.ts';
import { rowOf } from '../statistics.ts';

const MAX_ROUNDS = 3;
const RUN_MS = 2_000;
/** Almost the maximum at the converter's clock of 1 MHz: 24 us a sample. */
const FAST = 40_000;
/** A rate that an emulated computer can keep. */
const MODEST = 5_000;
const device = '/dev/spidev0.0';
const batched: Target = { kind: 'at most', value: 0.02, of: 'ours' };

/** Samples a second, and system calls for each. */
interface Pace {
  readonly samplesPerSecond: number;
  readonly callsPerSample: number;
}

async function sampledByThread(): Promise<Pace> {
  const hardware = openHardware({ backend: 'sim' });
  try {
    const adc = hardware.openAdc({ chip: 'mcp3008', device, channels: [{ channel: 0, samplesPerSecond: FAST }] });
    const [before, beganMs] = [adc.stats(), performance.now()];
    await delay(RUN_MS);
    const [after, ms] = [adc.stats(), performance.now() - beganMs];
    const samples = after.samples - before.samples;
    return {
      samplesPerSecond: (samples / ms) * 1000,
      callsPerSample: (after.systemCalls - before.systemCalls) / samples,
    };
  } finally {
    hardware.close();
  }
}

/** As in a program that waits for each sample. */
async function sampledByLoop(): Promise<Pace> {
  const hardware = openHardware({ backend: 'sim' });
  try {
    const spi = hardware.openSpi({ device });
    const send = Uint8Array.of(0x01, 0x80, 0x00);
    const beganMs = performance.now();
    let samples = 0;
    for (; performance.now() < beganMs + RUN_MS; samples++) await spi.transfer([{ send }]);
    return { samplesPerSecond: (samples / (performance.now() - beganMs)) * 1000, callsPerSample: 1 };
  } finally {
    hardware.close();
  }
}

async function simulatorRows(rounds: number): Promise<Row[]> {
  const ours: Pace[] = [];
  const peer: Pace[] = [];
  for (let round = 0; round < rounds; round++) {
    ours.push(await sampledByThread());
    peer.push(await sampledByLoop());
  }
  const of = (key: keyof Pace): { ours: number[]; peer: number[] } => ({
    ours: ours.map((pace) => pace[key]),
    peer: peer.map((pace) => pace[key]),
  });
  return [
    rowOf(
      {
        name: 'spi samples',
        what: `simulator: asked for ${FAST} a second / a Node loop, one transfer each, on a wire that takes no time`,
        unit: 'samples/s',
        target: { kind: 'at least', value: 0.95 * FAST, of: 'ours' },
      },
      of('samplesPerSecond'),
      {},
    ),
    rowOf(
      { name: 'spi system calls', what: 'simulator: a sample / the same', unit: 'calls', target: batched },
      of('callsPerSample'),
      {},
    ),
  ];
}

interface InsideFigures {
  readonly ours: { readonly samples: number; readonly messages: number; readonly systemCalls: number };
  readonly open: { readonly samples: number; readonly systemCalls: number };
  readonly one: { readonly samples: number; readonly systemCalls: number };
  readonly runMs: number;
}

async function virtualRows(context: BenchContext): Promise<Row[]> {
  const loops = await compiled(context.scratchFolder, 'spi-loops.c');
  const { ours, open, one, runMs } = await inVirtualBench<InsideFigures>(context, 'spi.ts', [loops, String(MODEST)]);
  const perSecond = (samples: number): number => (samples / runMs) * 1000;
  return [
    rowOf(
      {
        name: 'spi samples of spidev',
        what: `virtual bench: asked for ${MODEST} a second / a C loop that opens the device for each`,
        unit: 'samples/s',
        target: undefined,
      },
      { ours: [perSecond(ours.samples)], peer: [perSecond(open.samples)] },
      { 'a C loop with one transfer each': perSecond(one.samples) },
    ),
    rowOf(
      { name: 'spi calls of spidev', what: 'virtual bench: a sample / the same', unit: 'calls', target: batched },
      { ours: [ours.systemCalls / ours.samples], peer: [open.systemCalls / open.samples] },
      { 'of them messages, counted by the device': ours.messages / ours.samples },
    ),
  ];
}

/** An analog-to-digital converter, sampled by the addon's thread. */
export const hardwareSpi: Measure = {
  name: 'hardware-spi',
  isDefault: true,
  async run(context: BenchContext): Promise<Outcome[]> {
    const rows = await simulatorRows(Math.min(context.rounds, MAX_ROUNDS));
    context.note('hardware-spi: in the virtual bench');
    return [...rows, ...(await virtualRows(context))];
  },
};
