import { isDirectedEncoder } from '../directed-encoder.ts';
import type { BuildContext, BuiltResource } from '../../catalog/model.ts';
import { EncodedMotor, type TickGains } from '../motor/encoded-motor.ts';
import type { PowerLimits } from '../motor/drive/limits.ts';
import { OpenLoopMotor } from '../motor/open-loop-motor.ts';
import { refuseTuning } from '../motor/tuning/tune-command.ts';
import { PinDrive, type DriverPins } from '../motor/drive/pin-drive.ts';
import type { Board, GpioPin } from '../../../apis/board/types.ts';
import type { Encoder } from '../../../apis/encoder.ts';
import { pinFor } from '../../../apis/board/pin-owners.ts';
import type { JsonObject } from '../../../apis/resource.ts';
import { ArmatureError } from '../../../base/errors.ts';
import { DEFAULT_PWM_FREQ_HZ, isEncoded, type GpioMotorAttributes } from './schema.ts';
import { pinStyleOf, type MotorPins } from '../../../../proto/config/models/motor-pins.ts';

interface Settings {
  readonly maxRpm: number;
  readonly ticksPerRotation: number;
  readonly limits: PowerLimits;
  readonly slewPerSec: number;
  readonly freqHz: number;
  readonly toleranceDeg: number;
  readonly gains: TickGains | undefined;
}

/** Zero means "not set", as in configurations of other servers. */
function settingsOf(attributes: GpioMotorAttributes): Settings {
  const { max_power_pct: max = 0, min_power_pct: min = 0, pwm_freq: freqHz = 0 } = attributes;
  return {
    maxRpm: attributes.max_rpm ?? 0,
    ticksPerRotation: attributes.ticks_per_rotation ?? 0,
    limits: { min, max: max === 0 ? 1 : max },
    slewPerSec: attributes.power_slew_per_sec ?? 0,
    freqHz: freqHz === 0 ? DEFAULT_PWM_FREQ_HZ : freqHz,
    toleranceDeg: attributes.position_tolerance_deg ?? 0,
    gains: gainsOf(attributes),
  };
}

function gainsOf({ control_parameters: parameters = {} }: GpioMotorAttributes): TickGains | undefined {
  const { p = 0, i = 0, d = 0 } = parameters;
  return p === 0 && i === 0 && d === 0 ? undefined : { p, i, d };
}

function attributesOf(raw: JsonObject): GpioMotorAttributes {
  return raw as unknown as GpioMotorAttributes;
}

class OpenLoopGpioMotor extends OpenLoopMotor implements BuiltResource {
  // Always a promise: a caller may not handle a synchronous exception.
  async doCommand(command: JsonObject): Promise<JsonObject> {
    return refuseTuning(this, command);
  }

  async reconfigure(attributes: JsonObject): Promise<void> {
    await this.apply(settingsOf(attributesOf(attributes)));
  }
}

class EncodedGpioMotor extends EncodedMotor implements BuiltResource {
  #detach: (() => void) | undefined;

  /** Gives an encoder that cannot detect the direction the sign of the motor's power. */
  attachTo(encoder: Encoder): void {
    if (!isDirectedEncoder(encoder)) return;
    this.#detach = encoder.attachMotor(this.name, () => Math.sign(this.output.power) as -1 | 0 | 1);
  }

  override async close(): Promise<void> {
    await super.close();
    this.#detach?.();
  }

  async reconfigure(attributes: JsonObject): Promise<void> {
    await this.apply(settingsOf(attributesOf(attributes)));
  }
}

function driverPins(pins: MotorPins, board: Board, name: string): DriverPins {
  const pin = (number: string | undefined): GpioPin => pinFor(`motor "${name}"`, board.gpioPin(number ?? ''));
  const style = pinStyleOf(pins);
  switch (style) {
    case 'pwm-dir':
      return { style, pwm: pin(pins.pwm), dir: pin(pins.dir) };
    case 'in1-in2':
      return { style, a: pin(pins.a), b: pin(pins.b) };
    case 'in1-in2-pwm':
      return { style, a: pin(pins.a), b: pin(pins.b), pwm: pin(pins.pwm) };
    case undefined:
      throw new ArmatureError('config.invalid', `Motor "${name}": its pins make no driver style.`);
  }
}

/** Motor model `gpio`: on a board's pins, with or without an encoder. The motor is stopped when this returns. */
export async function build(context: BuildContext<GpioMotorAttributes>): Promise<BuiltResource> {
  const { name, attributes, clock, logger } = context;
  const board = context.dependency<Board>('core:component:board', attributes.board);
  const settings = settingsOf(attributes);
  const enablePin = (pin: string | undefined): GpioPin | undefined =>
    pin === undefined || pin === '' ? undefined : pinFor(`motor "${name}"`, board.gpioPin(pin));
  const drive = new PinDrive({
    motor: `Motor "${name}"`,
    pins: driverPins(attributes.pins, board, name),
    enableHigh: enablePin(attributes.pins.en_high),
    enableLow: enablePin(attributes.pins.en_low),
    isFlipped: attributes.dir_flip ?? false,
    hasBrake: attributes.stop_mode === 'brake',
    freqHz: settings.freqHz,
    clock,
  });
  const deadTimeMs = attributes.direction_dead_time_ms ?? 0;
  const common = { name, clock, logger, drive, deadTimeMs, ...settings };
  let motor: OpenLoopGpioMotor | EncodedGpioMotor;
  if (isEncoded(attributes)) {
    const encoder = context.dependency<Encoder>('core:component:encoder', attributes.encoder ?? '');
    const { isTicksSupported } = await encoder.properties();
    if (!isTicksSupported) {
      drive.close();
      throw new ArmatureError(
        'config.invalid',
        `Motor "${name}": encoder "${encoder.name}" does not count ticks; name one that does.`,
      );
    }
    const encoded = new EncodedGpioMotor({ ...common, encoder });
    encoded.attachTo(encoder);
    motor = encoded;
  } else {
    motor = new OpenLoopGpioMotor({ ...common, isPositionReported: false });
  }
  try {
    await motor.start();
  } catch (thrown) {
    // It will be built again, so this instance must release its encoder.
    await motor.close();
    throw thrown;
  }
  return motor;
}
