import type { Channel } from './possible-travel.ts';
import { QuadratureDecoder } from './quadrature-decoder.ts';
import type { UncertainEncoder, PositionUncertainty } from '../uncertain-encoder.ts';
import { EdgeRate } from '../edge-rate.ts';
import { EDGES_PER_TICK, type Levels } from '../quadrature.ts';
import type { DigitalInterrupt, Tick } from '../../../apis/board/types.ts';
import type { EncoderPosition, EncoderProperties, PositionType } from '../../../apis/encoder.ts';
import type { JsonObject } from '../../../apis/resource.ts';
import type { Clock } from '../../../base/clock.ts';
import { ArmatureError } from '../../../base/errors.ts';

export interface IncrementalEncoderOptions {
  readonly name: string;
  readonly a: DigitalInterrupt;
  readonly b: DigitalInterrupt;
  readonly clock: Clock;
}

/** Time limit for an edge of the other channel, which shows how many edges are missing; in motion it comes soon. */
const UNDECIDED_MS = 20;

/**
 * Decodes two channels. Every edge is a half-tick. The position is half-ticks divided by two, rounded down, so a period
 * of both channels is two ticks; a motor's `ticks_per_rotation` counts these. Missing edges are repaired if their
 * number shows the direction (see {@link QuadratureDecoder}).
 */
export class IncrementalEncoder implements UncertainEncoder {
  readonly name: string;
  readonly #a: DigitalInterrupt;
  readonly #b: DigitalInterrupt;
  readonly #unsubscribe: (() => void)[] = [];
  readonly #rate: EdgeRate;
  readonly #clock: Clock;
  #decoder = new QuadratureDecoder({ a: false, b: false });
  #lastEdgeMs = 0;
  /** The last edge of each channel while the levels are being read. */
  #seen: { a?: boolean; b?: boolean } | undefined;
  /** Whether edges went uncounted for a while since the last reset. */
  #hadGap = false;

  constructor(options: IncrementalEncoderOptions) {
    this.name = options.name;
    this.#a = options.a;
    this.#b = options.b;
    this.#clock = options.clock;
    this.#rate = new EdgeRate(options.clock);
  }

  /**
   * Listens first, then takes the initial state from the levels of both lines. Edges that arrive meanwhile are newer
   * than the levels that were read, and correct them; the position starts after them.
   */
  async start(): Promise<void> {
    const listen = (interrupt: DigitalInterrupt, channel: Channel): void => {
      const onTick = (tick: Tick): void => {
        if (this.#seen === undefined) this.#edge(channel, tick);
        else this.#seen[channel] = tick.isHigh;
      };
      this.#unsubscribe.push(interrupt.onTick(onTick));
      const ending = interrupt.onGap?.(() => this.#onGap());
      if (ending !== undefined) this.#unsubscribe.push(ending);
    };
    listen(this.#a, 'a');
    listen(this.#b, 'b');
    try {
      this.#decoder = new QuadratureDecoder(await this.#readLevels());
    } catch (thrown) {
      // It will be built again, so this instance must stop listening.
      await this.close();
      throw thrown;
    }
  }

  async position(type: PositionType | undefined): Promise<EncoderPosition> {
    if (type === 'degrees') {
      throw new ArmatureError(
        'call.unimplemented',
        `Encoder "${this.name}" counts ticks; it cannot tell degrees. Ask for ticks.`,
      );
    }
    this.#catchUp();
    const failure = this.#a.failure ?? this.#b.failure;
    if (failure !== undefined) throw failure;
    return { value: this.#ticks, type: 'ticks' };
  }

  get uncertainty(): PositionUncertainty {
    const { uncertainty, uncertainEdges, undecidedUncertainty, undecidedEdges } = this.#decoder;
    const isWaiting = undecidedEdges > 0 && this.#clock.monotonic() - this.#lastEdgeMs < UNDECIDED_MS;
    const ticks = Math.ceil((uncertainty + (isWaiting ? 0 : undecidedUncertainty)) / EDGES_PER_TICK);
    return {
      ticks: this.#hadGap ? Infinity : ticks,
      edges: uncertainEdges + (isWaiting ? 0 : undecidedEdges),
    };
  }

  /** Keeps an odd half-tick, so that a reset does not shift the ticks relative to the shaft. */
  resetPosition(): Promise<void> {
    this.#catchUp();
    this.#decoder.reset();
    this.#hadGap = false;
    this.#rate.clear();
    return Promise.resolve();
  }

  properties(): Promise<EncoderProperties> {
    return Promise.resolve({ isTicksSupported: true, isDegreesSupported: false });
  }

  status(): Promise<JsonObject> {
    this.#catchUp();
    const { levels, missedEdges, repairedEdges } = this.#decoder;
    return Promise.resolve({
      ticks: this.#ticks,
      a: levels.a,
      b: levels.b,
      ticks_per_sec: this.#rate.perSec() / EDGES_PER_TICK,
      missed_edges: missedEdges,
      repaired_edges: repairedEdges,
      doubt_ticks: this.#hadGap ? null : this.uncertainty.ticks,
    });
  }

  close(): Promise<void> {
    for (const unsubscribe of this.#unsubscribe.splice(0)) unsubscribe();
    return Promise.resolve();
  }

  get #ticks(): number {
    return Math.floor(this.#decoder.halfTicks / EDGES_PER_TICK);
  }

  #catchUp(): void {
    this.#a.catchUp?.();
    this.#b.catchUp?.();
  }

  async #readLevels(): Promise<Levels> {
    const seen: { a?: boolean; b?: boolean } = {};
    this.#seen = seen;
    try {
      const [a, b] = await Promise.all([this.#a.level(), this.#b.level()]);
      return { a, b, ...seen };
    } finally {
      if (this.#seen === seen) this.#seen = undefined;
    }
  }

  /** The shaft may be anywhere: counting continues from the current levels of its lines. */
  #onGap(): void {
    this.#hadGap = true;
    this.#rate.clear();
    // One turn later both lines are watched again; a line that is not will report its own gap.
    void Promise.resolve()
      .then(() => this.#readLevels())
      .then(
        (levels) => this.#decoder.resume(levels),
        () => undefined,
      );
  }

  #edge(channel: Channel, { isHigh, timeNs, missed = 0 }: Tick): void {
    this.#lastEdgeMs = this.#clock.monotonic();
    const uncertaintyBefore = this.#decoder.uncertainty;
    this.#decoder.edge({ channel, isHigh, missed, timeNs });
    // A correction of the position says nothing about the speed.
    if (this.#decoder.uncertainty !== uncertaintyBefore) this.#rate.clear();
    this.#rate.edge(timeNs, this.#decoder.halfTicks);
  }
}
