import { possibleTravel, widestTravel, type Channel, type SeenEdge } from './possible-travel.ts';
import { halfTicksBetween, levelsAt, type Levels } from '../quadrature.ts';

/** After this many edges in one direction a shaft turns steadily: a period of both channels. */
const STEADY_EDGES = 4;
/**
 * Number of edges over which the time of a half-tick is averaged, because interrupts are sometimes late by more than
 * one.
 */
const PACE_EDGES = 8;
/** A steadily turning shaft took at most this many times longer for the edges of a gap than for those before it. */
const SLOWER = 2;
/** Number of edges kept for a channel that oscillates alone. */
const MAX_TREMBLING = 512;
/** Number of edges kept while missing ones are undecided. More arrive only if nearly every edge is lost. */
const MAX_KEPT = 1_024;

/** An edge of a channel. */
export interface ChannelEdge {
  readonly channel: Channel;
  /** Level after it. */
  readonly isHigh: boolean;
  /** Edges of the channel that are known to be missing before it. */
  readonly missed: number;
  readonly timeNs: bigint;
}

interface KeptEdge extends SeenEdge {
  readonly timeNs: bigint;
}

/** What was known after an edge. */
interface Mark {
  readonly channel: Channel | undefined;
  readonly halfTicks: number;
  readonly levels: Levels;
  /** Number of edges in one direction up to this one, with the sign of the direction. */
  readonly run: number;
  readonly timeNs: bigint;
  /** Time per half-tick in that run, ns. */
  readonly paceNs: number;
}

/**
 * Counts half-ticks of two channels, and repairs the count if edges are missing.
 *
 * A gap tells how many edges of its channel are missing, but not where they were among the edges of the other channel.
 * So it is decided only after an edge of the other channel, when the number is known for both. It is *repaired* in two
 * cases: if only one path fits the numbers, the levels and the order of all edges; or if the shaft turned steadily
 * before, and the numbers, order and times of all edges match continued turning. The second case assumes that the shaft
 * did not turn round twice in the gap, which could not be detected. Otherwise several paths fit: one is chosen, and the
 * position is *uncertain* by the distance to the farthest other one.
 *
 * If two consecutive edges have the same level and the kernel counted none between them, at least one edge was too fast
 * to be seen: one is assumed to be missing. Two or more such losses cannot be detected.
 */
export class QuadratureDecoder {
  #levels: Levels;
  #halfTicks = 0;
  /** The older of the last edges of both channels: no edge before it can be found missing any more. */
  #settled: Mark;
  /** Edges since then. */
  #kept: KeptEdge[] = [];
  #newest: Mark;
  /** The last edge of the channel that did not have the newest edge. */
  #other: Mark;
  #missed = 0;
  #missedKept = 0;
  #repaired = 0;
  #uncertainty = 0;
  #uncertainEdges = 0;

  constructor(levels: Levels) {
    this.#levels = levels;
    this.#newest = { channel: undefined, halfTicks: 0, levels, run: 0, timeNs: 0n, paceNs: 0 };
    this.#settled = this.#newest;
    this.#other = this.#newest;
  }

  get levels(): Levels {
    return this.#levels;
  }

  /** Signed. While missing edges are undecided, only the edges that arrived are counted. */
  get halfTicks(): number {
    return this.#halfTicks;
  }

  /** All edges that never arrived, so far. */
  get missedEdges(): number {
    return this.#missed;
  }

  /** How many of them were repaired. */
  get repairedEdges(): number {
    return this.#repaired;
  }

  /** Edges that could not be repaired since the last reset. */
  get uncertainEdges(): number {
    return this.#uncertainEdges;
  }

  /** Half-ticks by which the position may be off since the last reset. */
  get uncertainty(): number {
    return this.#uncertainty;
  }

  /** Missing edges that are undecided until an edge of the other channel arrives. */
  get undecidedEdges(): number {
    return this.#missedKept;
  }

  /** By how many half-ticks these may change the position, in addition to {@link uncertainty}. */
  get undecidedUncertainty(): number {
    if (this.#missedKept === 0) return 0;
    return widestTravel(this.#kept).most + Math.abs(this.#halfTicks - this.#settled.halfTicks);
  }

  /**
   * Sets the position to zero, and makes it certain. An odd half-tick is kept, so that ticks do not shift relative to
   * the shaft.
   */
  reset(): void {
    const by = (this.#halfTicks & 1) - this.#halfTicks;
    const shifted = (mark: Mark): Mark => ({ ...mark, halfTicks: mark.halfTicks + by });
    this.#halfTicks += by;
    this.#settled = shifted(this.#settled);
    this.#newest = shifted(this.#newest);
    this.#other = shifted(this.#other);
    this.#uncertainty = 0;
    this.#uncertainEdges = 0;
  }

  /**
   * Continues with these levels after a time in which edges were not counted, from the nearest position that matches
   * them. Earlier missing edges can no longer be repaired.
   */
  resume(levels: Levels): void {
    const travel = [0, 1, -1, 2].find((by) => isSame(turned(this.#levels, by), levels)) ?? 0;
    this.#uncertainEdges += this.#missedKept;
    this.#halfTicks += travel;
    this.#levels = levels;
    this.#newest = { channel: undefined, halfTicks: this.#halfTicks, levels, run: 0, timeNs: 0n, paceNs: 0 };
    this.#other = this.#newest;
    this.#settleAt(this.#newest, []);
  }

  /** Adds an edge, in order of arrival on both channels. */
  edge({ channel, isHigh, missed, timeNs }: ChannelEdge): void {
    const isAsCounted = (this.#levels[channel] === isHigh) === (missed % 2 === 1);
    const missing = isAsCounted ? missed : missed + 1;
    this.#missed += missing;
    this.#missedKept += missing;
    this.#follow(channel, isHigh, timeNs);
    // Two consecutive edges of a channel that oscillates alone cancel out.
    if (this.#kept.length >= MAX_TREMBLING && this.#missedKept === 0) this.#kept.length -= 2;
    this.#kept.push({ channel, missing, timeNs });
    this.#settle();
  }

  /** Counts the edge as if none were missing. */
  #follow(channel: Channel, isHigh: boolean, timeNs: bigint): void {
    const levels = channel === 'a' ? { a: isHigh, b: this.#levels.b } : { a: this.#levels.a, b: isHigh };
    const step = halfTicksBetween(this.#levels, levels) ?? 0;
    const before = this.#newest;
    const run = Math.sign(before.run) === step ? before.run + step : step;
    const sinceNs = Number(timeNs - before.timeNs);
    // The first edge of a run comes after the shaft turned round.
    const averaged = Math.min(Math.max(1, Math.abs(run) - 1), PACE_EDGES);
    const paceNs = before.paceNs + (sinceNs - before.paceNs) / averaged;
    this.#levels = levels;
    this.#halfTicks += step;
    if (before.channel !== channel) this.#other = before;
    this.#newest = { channel, halfTicks: this.#halfTicks, levels, run, timeNs, paceNs };
  }

  /** Decides everything up to the last edge of the other channel, if possible. */
  #settle(): void {
    const { channel } = this.#newest;
    let count = this.#kept.length - 1;
    while (count > 0 && this.#kept[count - 1]?.channel === channel) count--;
    const isDecided = count > 0 && this.#kept[count]?.missing === 0;
    if (this.#missedKept === 0) {
      if (!isDecided) return;
      this.#settled = this.#other;
      // Most edges come here, so the list is shortened in place.
      this.#kept.copyWithin(0, count).length -= count;
    } else if (isDecided) {
      if (!this.#turnedOn()) this.#weigh(count);
    } else if (this.#kept.length >= MAX_KEPT) {
      // Nearly every edge is lost: it would never be decided.
      this.#addUncertainty(this.undecidedUncertainty);
      this.#settleAt({ ...this.#newest, run: 0 }, []);
    }
  }

  #settleAt(mark: Mark, kept: KeptEdge[]): void {
    this.#settled = mark;
    this.#kept = kept;
    this.#missedKept = 0;
  }

  /** Whether the shaft kept turning as before: each channel then has an edge every two half-ticks, seen or missing. */
  #turnedOn(): boolean {
    const { channel, halfTicks, run, timeNs, paceNs } = this.#settled;
    const direction = Math.sign(run);
    if (channel === undefined || Math.abs(run) < STEADY_EDGES) return false;
    const places = { a: halfTicks - direction, b: halfTicks - direction, [channel]: halfTicks };
    let last = halfTicks;
    for (const edge of this.#kept) {
      const place = places[edge.channel] + 2 * direction * (edge.missing + 1);
      if ((place - last) * direction <= 0) return false;
      places[edge.channel] = place;
      last = place;
      // If no edge is missing before this one, its delay does not matter: the shaft may have stood still.
      const mostNs = SLOWER * Math.abs(place - halfTicks) * paceNs;
      if (edge.missing > 0 && Number(edge.timeNs - timeNs) > mostNs) return false;
    }
    this.#repaired += this.#missedKept;
    this.#moveTo(last - direction, { run: direction * STEADY_EDGES, paceNs });
    return true;
  }

  /** Chooses one of the paths that the first kept edges allow. */
  #weigh(count: number): void {
    const from = this.#settled;
    const { least, most } = possibleTravel(from.levels.a !== from.levels.b, this.#kept.slice(0, count));
    if (least === most) {
      this.#repaired += this.#missedKept;
      this.#moveTo(from.halfTicks + least, { run: 0, paceNs: 0 });
      return;
    }
    // Paths that end with the same levels differ by whole periods.
    const levels = this.#levelsOfOther();
    const first = least + [0, 1, 2, 3].findIndex((more) => isSame(turned(from.levels, least + more), levels));
    const travel = first + 4 * Math.round((least + most - 2 * first) / 8);
    this.#addUncertainty(Math.max(most - travel, travel - least));
    this.#moveTo(from.halfTicks + travel, { run: 0, paceNs: 0 });
  }

  /** Sets the position of the other channel's last edge; the newest edge is one further. */
  #moveTo(halfTicks: number, motion: { readonly run: number; readonly paceNs: number }): void {
    const levels = this.#levelsOfOther();
    const step = halfTicksBetween(levels, this.#levels) ?? 0;
    this.#halfTicks = halfTicks + step;
    this.#other = { ...this.#other, halfTicks, levels, ...motion };
    this.#newest = { ...this.#newest, halfTicks: this.#halfTicks, ...motion, run: motion.run + step };
    this.#settleAt(this.#other, this.#kept.slice(-1));
  }

  /** Levels before the newest edge. */
  #levelsOfOther(): Levels {
    const { a, b } = this.#levels;
    return this.#newest.channel === 'a' ? { a: !a, b } : { a, b: !b };
  }

  #addUncertainty(halfTicks: number): void {
    this.#uncertainty += halfTicks;
    this.#uncertainEdges += this.#missedKept;
  }
}

/** Levels after so many half-ticks. */
function turned(levels: Levels, halfTicks: number): Levels {
  const phase = [0, 1, 2, 3].findIndex((at) => isSame(levelsAt(at), levels));
  return levelsAt(phase + halfTicks);
}

function isSame(left: Levels, right: Levels): boolean {
  return left.a === right.a && left.b === right.b;
}
