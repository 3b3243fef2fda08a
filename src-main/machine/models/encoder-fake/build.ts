import type { BuildContext, BuiltResource } from '../model.ts';
import type { Encoder, EncoderPosition, EncoderProperties, PositionType } from '../../../apis/encoder.ts';
import type { JsonObject } from '../../../apis/resource.ts';
import type { Clock } from '../../../base/clock.ts';
import { ArmatureError } from '../../../base/errors.ts';
import type { FakeEncoderAttributes } from '../../../../proto/config/models/encoder.ts';

/** Encoder model `fake`: counts at a constant speed. */
export class FakeEncoder implements Encoder, BuiltResource {
  readonly name: string;
  readonly #clock: Clock;
  #ticksPerSec: number;
  #ticksPerRotation: number;
  #ticks = 0;
  #sinceMs: number;

  constructor(name: string, attributes: FakeEncoderAttributes, clock: Clock) {
    this.name = name;
    this.#clock = clock;
    this.#ticksPerSec = attributes.ticks_per_sec ?? 0;
    this.#ticksPerRotation = attributes.ticks_per_rotation ?? 0;
    this.#sinceMs = clock.monotonic();
  }

  async position(type: PositionType | undefined): Promise<EncoderPosition> {
    const ticks = this.#advance();
    if (type !== 'degrees') return { value: Math.floor(ticks), type: 'ticks' };
    if (this.#ticksPerRotation === 0) {
      throw new ArmatureError(
        'call.unimplemented',
        `Encoder "${this.name}" cannot tell degrees: "ticks_per_rotation" is not set.`,
      );
    }
    return { value: (ticks / this.#ticksPerRotation) * 360, type: 'degrees' };
  }

  resetPosition(): Promise<void> {
    this.#ticks = 0;
    this.#sinceMs = this.#clock.monotonic();
    return Promise.resolve();
  }

  properties(): Promise<EncoderProperties> {
    return Promise.resolve({ isTicksSupported: true, isDegreesSupported: this.#ticksPerRotation > 0 });
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
    this.#advance();
    this.#ticksPerSec = speed;
    return { ticks_per_sec: speed };
  }

  reconfigure(attributes: JsonObject): Promise<void> {
    const { ticks_per_sec: speed = 0, ticks_per_rotation: perRotation = 0 } = attributes as FakeEncoderAttributes;
    this.#advance();
    this.#ticksPerSec = speed;
    this.#ticksPerRotation = perRotation;
    return Promise.resolve();
  }

  close(): Promise<void> {
    return Promise.resolve();
  }

  #advance(): number {
    const now = this.#clock.monotonic();
    this.#ticks += (this.#ticksPerSec * (now - this.#sinceMs)) / 1_000;
    this.#sinceMs = now;
    return this.#ticks;
  }
}

export async function build(context: BuildContext<JsonObject>): Promise<BuiltResource> {
  return new FakeEncoder(context.name, context.attributes, context.clock);
}
