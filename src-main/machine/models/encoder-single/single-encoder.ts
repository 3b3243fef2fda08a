import type { DirectedEncoder, DriveDirection } from '../directed-encoder.ts';
import type { UncertainEncoder, PositionUncertainty } from '../uncertain-encoder.ts';
import { EdgeRate } from '../edge-rate.ts';
import type { DigitalInterrupt, Tick } from '../../../apis/board/types.ts';
import type { EncoderPosition, EncoderProperties, PositionType } from '../../../apis/encoder.ts';
import type { JsonObject } from '../../../apis/resource.ts';
import type { Clock } from '../../../base/clock.ts';
import { ArmatureError } from '../../../base/errors.ts';

/** If the next edge comes later than this, the shaft was at rest in between. */
const COAST_NS = 500_000_000n;

export interface SingleEncoderOptions {
  readonly name: string;
  readonly interrupt: DigitalInterrupt;
  readonly clock: Clock;
}

/**
 * One channel: every edge, rising or falling, is a tick. It is counted in the direction of the attached motor, or up if
 * none is attached. A motor without power has no direction: ticks of a coasting shaft are counted in its last one, and
 * ticks of a shaft that was at rest are ignored. Missing edges count like the next one. If the direction changed since
 * the previous edge, it is unknown how many were in which direction, and the position is uncertain by all of them.
 */
export class SingleEncoder implements DirectedEncoder, UncertainEncoder {
  readonly name: string;
  readonly #rate: EdgeRate;
  readonly #interrupt: DigitalInterrupt;
  readonly #unsubscribe: readonly (() => void)[];
  #motor: { readonly name: string; readonly direction: () => DriveDirection } | undefined;
  #ticks = 0;
  #lastDirection: DriveDirection = 0;
  #lastNs = 0n;
  #missed = 0;
  #repaired = 0;
  /** Missing edges that may have been in either direction. */
  #uncertainty = 0;
  /** Whether edges went uncounted for a while since the last reset. */
  #hadGap = false;

  constructor({ name, interrupt, clock }: SingleEncoderOptions) {
    this.name = name;
    this.#rate = new EdgeRate(clock);
    this.#interrupt = interrupt;
    const onGap = (): void => {
      this.#hadGap = true;
      this.#rate.clear();
    };
    this.#unsubscribe = [interrupt.onTick((tick) => this.#tick(tick)), interrupt.onGap?.(onGap) ?? (() => undefined)];
  }

  attachMotor(motor: string, direction: () => DriveDirection): () => void {
    if (this.#motor !== undefined) {
      throw new ArmatureError(
        'config.invalid',
        `Encoder "${this.name}" counts for motor "${this.#motor.name}" already, so it cannot count for "${motor}" too. Name another encoder there.`,
      );
    }
    const attached = { name: motor, direction };
    this.#motor = attached;
    this.#lastDirection = 0;
    return () => {
      if (this.#motor === attached) this.#motor = undefined;
    };
  }

  async position(type: PositionType | undefined): Promise<EncoderPosition> {
    if (type === 'degrees') {
      throw new ArmatureError(
        'call.unimplemented',
        `Encoder "${this.name}" counts ticks; it cannot tell degrees. Ask for ticks.`,
      );
    }
    this.#interrupt.catchUp?.();
    const { failure } = this.#interrupt;
    if (failure !== undefined) throw failure;
    return { value: this.#ticks, type: 'ticks' };
  }

  get uncertainty(): PositionUncertainty {
    return { ticks: this.#hadGap ? Infinity : this.#uncertainty, edges: this.#uncertainty };
  }

  resetPosition(): Promise<void> {
    this.#interrupt.catchUp?.();
    this.#ticks = 0;
    this.#uncertainty = 0;
    this.#hadGap = false;
    this.#rate.clear();
    return Promise.resolve();
  }

  properties(): Promise<EncoderProperties> {
    return Promise.resolve({ isTicksSupported: true, isDegreesSupported: false });
  }

  status(): Promise<JsonObject> {
    this.#interrupt.catchUp?.();
    return Promise.resolve({
      ticks: this.#ticks,
      ticks_per_sec: this.#rate.perSec(),
      motor: this.#motor?.name ?? null,
      missed_edges: this.#missed,
      repaired_edges: this.#repaired,
      doubt_ticks: this.#hadGap ? null : this.#uncertainty,
    });
  }

  close(): Promise<void> {
    for (const unsubscribe of this.#unsubscribe) unsubscribe();
    return Promise.resolve();
  }

  #tick({ timeNs, missed = 0 }: Tick): void {
    const direction = this.#directionAt(timeNs);
    const before = this.#lastDirection;
    this.#lastNs = timeNs;
    this.#lastDirection = direction;
    this.#missed += missed;
    if (direction === before || this.#motor === undefined) {
      this.#repaired += missed;
      this.#ticks += direction * missed;
    } else {
      this.#uncertainty += missed;
    }
    if (direction === 0) return;
    this.#ticks += direction;
    this.#rate.edge(timeNs, this.#ticks);
  }

  #directionAt(timeNs: bigint): DriveDirection {
    if (this.#motor === undefined) return 1;
    const driven = this.#motor.direction();
    if (driven !== 0) return driven;
    return timeNs - this.#lastNs <= COAST_NS ? this.#lastDirection : 0;
  }
}
