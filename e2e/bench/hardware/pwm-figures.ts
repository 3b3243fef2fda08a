/** Figures computed from the edges of a software PWM. */

/** One edge: `struct Edge` of `edge-record.h`. */
interface Edge {
  readonly ns: number;
  readonly isHigh: boolean;
}

export interface PwmFigures {
  /** Error of the time between two edges, us. */
  readonly p50Us: number;
  readonly p99Us: number;
  readonly maxUs: number;
  /** Deviation of rises from the schedule that begins with the first one; p99, us. */
  readonly offScheduleUs: number;
  /** Largest error of a channel's share of time high, in percent of the cycle. */
  readonly dutyErrorPercent: number;
  /** Lateness of the last rise, ms: accumulated lateness and skipped pulses. */
  readonly driftMs: number;
}

const EDGE_BYTES = 16;

function channelsOf(bytes: Buffer): Map<number, Edge[]> {
  const channels = new Map<number, Edge[]>();
  const first = bytes.length === 0 ? 0n : bytes.readBigUInt64LE(0);
  for (let at = 0; at + EDGE_BYTES <= bytes.length; at += EDGE_BYTES) {
    const channel = bytes.readUInt32LE(at + 8);
    const edge = { ns: Number(bytes.readBigUInt64LE(at) - first), isHigh: bytes.readUInt32LE(at + 12) === 1 };
    const edges = channels.get(channel);
    if (edges === undefined) channels.set(channel, [edge]);
    else edges.push(edge);
  }
  return channels;
}

function quantile(sorted: readonly number[], share: number): number {
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
}

const ascending = (a: number, b: number): number => a - b;

/**
 * @param bytes the edges of all channels, each channel's in order
 * @param dutyCycleOf the commanded duty cycle of a channel
 */
export function pwmFigures(bytes: Buffer, hz: number, dutyCycleOf: (channel: number) => number): PwmFigures {
  const periodNs = 1e9 / hz;
  const errors: number[] = [];
  const offSchedule: number[] = [];
  let dutyErrorPercent = 0;
  let driftMs = 0;
  for (const [channel, edges] of channelsOf(bytes)) {
    const duty = dutyCycleOf(channel);
    const rises = edges.filter(({ isHigh }) => isHigh).map(({ ns }) => ns);
    const [firstRise = 0, lastRise = 0] = [rises[0], rises.at(-1)];
    let highNs = 0;
    edges.slice(1).forEach((edge, index) => {
      const before = edges[index]!;
      const wanted = (before.isHigh ? duty : 1 - duty) * periodNs;
      errors.push(Math.abs(edge.ns - before.ns - wanted) / 1000);
      if (before.isHigh && edge.ns <= lastRise) highNs += edge.ns - before.ns;
    });
    const schedule = rises.map((ns, cycle) => ns - cycle * periodNs);
    const earliest = schedule.reduce((a, b) => Math.min(a, b), Infinity);
    for (const ns of schedule) offSchedule.push((ns - earliest) / 1000);
    const share = highNs / (lastRise - firstRise);
    dutyErrorPercent = Math.max(dutyErrorPercent, Math.abs(share - duty) * 100);
    driftMs = Math.max(driftMs, (lastRise - firstRise - (rises.length - 1) * periodNs) / 1e6);
  }
  errors.sort(ascending);
  offSchedule.sort(ascending);
  return {
    p50Us: quantile(errors, 0.5),
    p99Us: quantile(errors, 0.99),
    maxUs: errors.at(-1) ?? Number.NaN,
    offScheduleUs: quantile(offSchedule, 0.99),
    dutyErrorPercent,
    driftMs,
  };
}
