import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { compiled, EDGES } from '../hardware/compile.ts';
import { inVirtualBench, requireGpiod } from '../hardware/virtual.ts';
import type { BenchContext, Measure, Outcome, Row } from '../measure.ts';
import { median, rowOf } from '../statistics.ts';

const MAX_ROUNDS = 3;
const RUN_MS = 300;
const RATES = [1_000, 2_000, 5_000, 10_000, 20_000, 50_000, 100_000, 200_000, 500_000, 1_000_000];
/** More than the addon can read, so that edges are lost. */
const FLOOD = 1_000_000;

interface Count {
  readonly pulled: number;
  readonly taken: number;
  readonly lost: number;
}

async function read(program: string, reader: 'ring' | 'slot', rate: number, ...more: string[]) {
  const { stdout } = await promisify(execFile)(program, [reader, String(rate), String(RUN_MS), ...more]);
  return JSON.parse(stdout) as { reader: Count; stalled: Count };
}

/** The highest rate without loss, edges a second, counting edges that really occurred. */
async function highestWithoutLoss(program: string, reader: 'ring' | 'slot'): Promise<number> {
  let highest = 0;
  for (const rate of RATES) {
    const { pulled, taken } = (await read(program, reader, rate)).reader;
    if (taken < pulled) break;
    highest = (pulled / RUN_MS) * 1000;
  }
  return highest;
}

async function simulatorRows(program: string, rounds: number): Promise<Row[]> {
  const [ours, peer, unreported, unreportedOfPeer, beside]: number[][] = [[], [], [], [], []];
  let reported = '';
  for (let round = 0; round < rounds; round++) {
    ours!.push(await highestWithoutLoss(program, 'ring'));
    peer!.push(await highestWithoutLoss(program, 'slot'));
    const { stalled } = await read(program, 'ring', FLOOD, 'stalled');
    unreported!.push(stalled.pulled - stalled.taken - stalled.lost);
    reported = `${stalled.lost} of ${stalled.pulled}`;
    const slot = (await read(program, 'slot', FLOOD)).reader;
    unreportedOfPeer!.push(slot.pulled - slot.taken - slot.lost);
    const calm = await read(program, 'ring', 100_000, 'stalled');
    beside!.push(calm.reader.pulled - calm.reader.taken);
  }
  return [
    rowOf(
      {
        name: 'edges without loss',
        what: 'simulator: the addon / an edge at a time and a place for one',
        unit: 'edges/s',
        target: { kind: 'at least', value: 1 },
      },
      { ours: ours!, peer: peer! },
      {},
    ),
    rowOf(
      {
        name: 'edges, stalled reader',
        what: 'simulator: lost and not reported in a flood / the same peer',
        unit: 'edges',
        target: { kind: 'at most', value: 0, of: 'ours' },
      },
      { ours: unreported!, peer: unreportedOfPeer! },
      { 'reported as lost': reported, 'lost by a reader beside it at 100,000 a second': median(beside!) },
    ),
  ];
}

interface InsideFigures {
  readonly edges: number;
  readonly seconds: number;
  readonly ours: number;
  readonly theirs: number;
  /** Edges that the kernel made on our line, including lost ones. */
  readonly made: number;
  readonly lost: number;
}

async function virtualRows(context: BenchContext): Promise<Row[]> {
  requireGpiod();
  const { edges, seconds, ours, theirs, made, lost } = await inVirtualBench<InsideFigures>(context, 'edges.ts');
  return [
    rowOf(
      {
        name: 'edges of the kernel',
        what: `virtual bench: seen of ${edges} pulls, of which it makes fewer edges / gpiod's gpiomon beside it`,
        unit: 'edges',
        target: undefined,
      },
      { ours: [ours], peer: [theirs] },
      { 'pulls a second': edges / seconds },
    ),
    rowOf(
      {
        name: 'edges of the kernel, lost',
        what: "virtual bench: by the kernel's numbers / all that it made",
        unit: 'edges',
        target: { kind: 'at most', value: 0, of: 'ours' },
      },
      { ours: [lost], peer: [made] },
      {},
    ),
  ];
}

/** Counted edges, and edges that nobody reads in time. */
export const hardwareEdges: Measure = {
  name: 'hardware-edges',
  isDefault: true,
  async run(context: BenchContext): Promise<Outcome[]> {
    const program = await compiled(context.scratchFolder, 'edge-readers.cpp', EDGES);
    const rows = await simulatorRows(program, Math.min(context.rounds, MAX_ROUNDS));
    context.note('hardware-edges: in the virtual bench');
    return [...rows, ...(await virtualRows(context))];
  },
};
