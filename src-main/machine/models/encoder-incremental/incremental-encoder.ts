import { EdgeRate } from '../edge-rate.ts';
import { EDGES_PER_TICK, halfTicksBetween, type Levels } from '../quadrature.ts';
import type { DigitalInterrupt, Tick } from '../../../apis/board.ts';
import type { Encoder, EncoderPosition, EncoderProperties, PositionType } from '../../../apis/encoder.ts';
import type { JsonObject } from '../../../apis/resource.ts';
import type { Clock } from '../../../base/clock.ts';
import { ArmatureError } from '../../../base/errors.ts';

export interface IncrementalEncoderOptions {
  readonly name: string;
  readonly a: DigitalInterrupt;
  readonly b: DigitalInterrupt;
  readonly clock: Clock;
}

/**
 * Decodes two channels. Every edge is a half-tick and the position is
 * half-ticks divided by two, rounded down (behaviour 7.5), so a period of both
 * channels counts two ticks; `ticks_per_rotation` of a motor means these.
 */
export class IncrementalEncoder implements Encoder {
  readonly name: string;
  readonly #a: DigitalInterrupt;
  readonly #b: DigitalInterrupt;
  readonly #unsubscribe: (() => void)[] = [];
  readonly #rate: EdgeRate;
  #levels: Levels = { a: false, b: false };
  #halfTicks = 0;
  #missedEdges = 0;

  constructor(options: IncrementalEncoderOptions) {
    this.name = options.name;
    this.#a = options.a;
    this.#b = options.b;
    this.#rate = new EdgeRate(options.clock);
  }

  /**
   * Listens, then takes the start state from the levels of both lines (B7.10). Edges meanwhile are newer than what is
   * read, and correct it; the position begins with what they leave.
   */
  async start(): Promise<void> {
    let hasLevels = false;
    const seen: { a?: boolean; b?: boolean } = {};
    const listen = (interrupt: DigitalInterrupt, channel: 'a' | 'b'): void => {
      const onTick = (tick: Tick): void => {
        if (hasLevels) this.#edge(channel, tick);
        else seen[channel] = tick.isHigh;
      };
      this.#unsubscribe.push(interrupt.onTick(onTick));
    };
    listen(this.#a, 'a');
    listen(this.#b, 'b');
    try {
      const [a, b] = await Promise.all([this.#a.level(), this.#b.level()]);
      this.#levels = { a, b, ...seen };
    } catch (thrown) {
      // It is built anew from the start: this one must not listen on.
      await this.close();
      throw thrown;
    }
    hasLevels = true;
  }

  async position(type: PositionType | undefined): Promise<EncoderPosition> {
    if (type === 'degrees') {
      throw new ArmatureError(
        'call.unimplemented',
        `Encoder "${this.name}" counts ticks; it cannot tell degrees. Ask for ticks.`,
      );
    }
    const failure = this.#a.failure ?? this.#b.failure;
    if (failure !== undefined) throw failure;
    return { value: Math.floor(this.#halfTicks / EDGES_PER_TICK), type: 'ticks' };
  }

  /** Keeps an odd half-tick, so that resetting does not shift the ticks against the shaft. */
  resetPosition(): Promise<void> {
    this.#halfTicks &= 1;
    this.#rate.clear();
    return Promise.resolve();
  }

  properties(): Promise<EncoderProperties> {
    return Promise.resolve({ isTicksSupported: true, isDegreesSupported: false });
  }

  status(): Promise<JsonObject> {
    return Promise.resolve({
      ticks: Math.floor(this.#halfTicks / EDGES_PER_TICK),
      a: this.#levels.a,
      b: this.#levels.b,
      ticks_per_sec: this.#rate.perSec() / EDGES_PER_TICK,
      missed_edges: this.#missedEdges,
    });
  }

  close(): Promise<void> {
    for (const unsubscribe of this.#unsubscribe.splice(0)) unsubscribe();
    return Promise.resolve();
  }

  #edge(channel: 'a' | 'b', { isHigh, timeNs }: Tick): void {
    if (this.#levels[channel] === isHigh) {
      // The same level twice: the edge between them was lost, and with it which way it went.
      this.#missedEdges++;
      return;
    }
    const next = channel === 'a' ? { a: isHigh, b: this.#levels.b } : { a: this.#levels.a, b: isHigh };
    this.#halfTicks += halfTicksBetween(this.#levels, next) ?? 0;
    this.#levels = next;
    this.#rate.edge(timeNs, this.#halfTicks);
  }
}
