import type { FakeEncoder } from '../encoder-fake/fake-encoder.ts';
import type { BuiltResource } from '../../catalog/model.ts';
import { OpenLoopMotor, type OpenLoopMotorOptions, type OpenLoopSettings } from '../motor/open-loop-motor.ts';
import type { CallOptions, JsonObject } from '../../../apis/resource.ts';
import { ArmatureError } from '../../../base/errors.ts';
import { DEFAULT_FAKE_MAX_RPM, type FakeMotorAttributes } from './schema.ts';

/** The encoder that a fake motor turns. */
export interface TurnedEncoder {
  readonly encoder: FakeEncoder;
  /** More than 0. */
  readonly ticksPerRotation: number;
}

export function settingsOf(attributes: FakeMotorAttributes): OpenLoopSettings {
  return {
    maxRpm: attributes.max_rpm ?? DEFAULT_FAKE_MAX_RPM,
    limits: { min: attributes.min_power_pct ?? 0, max: attributes.max_power_pct ?? 1 },
    slewPerSec: 0,
    freqHz: 0,
  };
}

/**
 * Motor model `fake`: its motion is computed from power and time. It turns the fake encoder that it names, and then has
 * that encoder's position; without one it has no position, as in the public server.
 */
export class FakeMotor extends OpenLoopMotor implements BuiltResource {
  readonly #turned: TurnedEncoder | undefined;
  #maxRpm: number;

  constructor(options: Omit<OpenLoopMotorOptions, 'isPositionReported'>, turned: TurnedEncoder | undefined) {
    super({ ...options, isPositionReported: turned !== undefined });
    this.#turned = turned;
    this.#maxRpm = options.maxRpm;
  }

  protected override onPower(power: number): void {
    super.onPower(power);
    this.#turnEncoder(power);
  }

  override async goFor(rpm: number, revolutions: number, options?: CallOptions): Promise<void> {
    this.#reckonFromEncoder();
    await super.goFor(rpm, revolutions, options);
    await this.#settleEncoder();
  }

  override async goTo(rpm: number, positionRevolutions: number, options?: CallOptions): Promise<void> {
    this.#requireEncoder();
    this.#reckonFromEncoder();
    await super.goTo(rpm, positionRevolutions, options);
    await this.#settleEncoder();
  }

  override async resetZeroPosition(offset: number): Promise<void> {
    const { encoder, ticksPerRotation } = this.#requireEncoder();
    await super.resetZeroPosition(offset);
    encoder.setTicks(-offset * ticksPerRotation);
  }

  override async position(): Promise<number> {
    const { encoder, ticksPerRotation } = this.#requireEncoder();
    return (await encoder.position('ticks')).value / ticksPerRotation;
  }

  override async status(): Promise<JsonObject> {
    const { power } = this.output;
    const common = { power, is_moving: await this.isMoving() };
    return this.#turned === undefined
      ? common
      : { ...common, position: await this.position(), position_is_estimated: false };
  }

  async reconfigure(attributes: JsonObject): Promise<void> {
    const settings = settingsOf(attributes);
    this.#maxRpm = settings.maxRpm;
    await this.apply(settings);
    this.#turnEncoder(this.output.power);
  }

  #turnEncoder(power: number): void {
    if (this.#turned === undefined) return;
    const { encoder, ticksPerRotation } = this.#turned;
    encoder.setSpeed((power * this.#maxRpm * ticksPerRotation) / 60);
  }

  /** The encoder may have been reset since the last motion. */
  #reckonFromEncoder(): void {
    if (this.#turned !== undefined) this.reckonFrom(this.#turned.encoder.ticks / this.#turned.ticksPerRotation);
  }

  /** A motion ends exactly at the goal, whatever the clock says. */
  async #settleEncoder(): Promise<void> {
    if (this.#turned === undefined || (await this.isMoving())) return;
    this.#turned.encoder.setTicks((await super.position()) * this.#turned.ticksPerRotation);
  }

  #requireEncoder(): TurnedEncoder {
    if (this.#turned !== undefined) return this.#turned;
    throw new ArmatureError(
      'call.unimplemented',
      `Motor "${this.name}" has no encoder, so it has no position. Set "encoder" and "ticks_per_rotation".`,
      { details: { motor: this.name } },
    );
  }
}
