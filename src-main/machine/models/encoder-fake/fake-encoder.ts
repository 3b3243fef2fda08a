import type { BuiltResource } from '../../catalog/model.ts';
import type { Encoder, EncoderPosition, EncoderProperties, PositionType } from '../../../apis/encoder.ts';
import type { JsonObject } from '../../../apis/resource.ts';
import type { Clock } from '../../../base/clock.ts';
import { ArmatureError } from '../../../base/errors.ts';
import type { FakeEncoderAttributes } from './schema.ts';

/** Encoder model `fake`: counts at a constant speed, either its own or that of the fake motor that names it. */
export class FakeEncoder implements Encoder, BuiltResource {
  readonly name: string;
  readonly #clock: Clock;
  readonly #startMs: number;
  #ticksPerSec: number;
  #ticksPerRotation: number;
  /** 0 for a new count at each reading. */
  #updateMs: number;
  #ticks = 0;
  #sinceMs: number;
  /** The reported count, from the last update. */
  #reported = 0;

  constructor(name: string, attributes: FakeEncoderAttributes, clock: Clock) {
    this.name = name;
    this.#clock = clock;
    this.#ticksPerSec = attributes.ticks_per_sec ?? 0;
    this.#ticksPerRotation = attributes.ticks_per_rotation ?? 0;
    this.#updateMs = attributes.update_rate_msec ?? 0;
    this.#startMs = clock.monotonic();
    this.#sinceMs = this.#startMs;
  }

  /** Current ticks, including fractions. */
  get ticks(): number {
    this.#advance();
    return this.#ticks;
  }

  async position(type: PositionType | undefined): Promise<EncoderPosition> {
    this.#advance();
    const ticks = this.#reported;
    // Floating point may miss a whole number by a tiny amount.
    if (type !== 'degrees') return { value: Math.floor(ticks + 1e-9), type: 'ticks' };
    if (this.#ticksPerRotation === 0) {
      throw new ArmatureError(
        'call.unimplemented',
        `Encoder "${this.name}" cannot tell degrees: "ticks_per_rotation" is not set.`,
      );
    }
    return { value: (ticks / this.#ticksPerRotation) * 360, type: 'degrees' };
  }

  async resetPosition(): Promise<void> {
    this.setTicks(0);
  }

  properties(): Promise<EncoderProperties> {
    return Promise.resolve({ isTicksSupported: true, isDegreesSupported: this.#ticksPerRotation > 0 });
  }

  /** Sets the speed in ticks per second: a fake motor turns it. */
  setSpeed(ticksPerSec: number): void {
    this.#advance();
    this.#ticksPerSec = ticksPerSec;
  }

  /** Sets the position: a fake motor has reached its goal. */
  setTicks(ticks: number): void {
    this.#advance();
    this.#ticks = ticks;
    this.#reported = ticks;
  }

  /** `{"ticks_per_sec": 10}` changes the speed. */
  async doCommand(command: JsonObject): Promise<JsonObject> {
    const speed = command['ticks_per_sec'];
    if (typeof speed !== 'number') {
      throw new ArmatureError(
        'call.bad_argument',
        `Encoder "${this.name}" knows the command {"ticks_per_sec": number}.`,
      );
    }
    this.setSpeed(speed);
    return { ticks_per_sec: speed };
  }

  async reconfigure(attributes: JsonObject): Promise<void> {
    const next: FakeEncoderAttributes = attributes;
    this.setSpeed(next.ticks_per_sec ?? 0);
    this.#ticksPerRotation = next.ticks_per_rotation ?? 0;
    this.#updateMs = next.update_rate_msec ?? 0;
  }

  async close(): Promise<void> {
    // It holds nothing.
  }

  #advance(): void {
    const now = this.#clock.monotonic();
    const updateMs = this.#updateMs;
    const updatedMs = updateMs === 0 ? now : now - ((now - this.#startMs) % updateMs);
    const countAt = (ms: number): number => this.#ticks + (this.#ticksPerSec * (ms - this.#sinceMs)) / 1_000;
    if (updatedMs >= this.#sinceMs) this.#reported = countAt(updatedMs);
    this.#ticks = countAt(now);
    this.#sinceMs = now;
  }
}
