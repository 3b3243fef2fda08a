import type { PinLocation } from './pin-names.ts';
import { TickTime } from '../board-fake/fake-interrupt.ts';
import { SimulatedMotor, type EncoderWire } from '../board-fake/simulated-motor.ts';
import { levelsAt } from '../quadrature.ts';
import type { JsonObject } from '../../../apis/resource.ts';
import type { Clock } from '../../../base/clock.ts';
import { toArmatureError } from '../../../base/errors.ts';
import type { Logger } from '../../../base/logger.ts';
import type { SimWorld } from '../../../hardware/hardware-types.ts';
import type { SimulatedMotorAttributes } from '../../../../proto/config/models/simulated-motor.ts';

export interface WiredMotorsOptions {
  readonly board: string;
  readonly sim: SimWorld;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly find: (pin: string) => PinLocation;
  /** The output of a pin, 0 to 1; 0 if it is not driven. */
  readonly outputOf: (pin: string) => number;
  /** Path of a GPIO chip by its id. */
  readonly pathOf: (chip: string) => string;
}

/**
 * The motors of `simulated_motors`, on the wires of the simulated computer: they turn as the board's pins are driven,
 * and put their encoder edges on its lines. A motor whose pins are missing stands still, and the log says why.
 */
export class WiredMotors {
  readonly #motors: readonly SimulatedMotor[];

  constructor(motors: readonly SimulatedMotorAttributes[], options: WiredMotorsOptions) {
    const time = new TickTime(options.clock);
    this.#motors = motors.map((attributes, index) => {
      const { clock } = options;
      const encoder = encoderOf(attributes, index, options);
      return new SimulatedMotor({ attributes, clock, time, outputOf: options.outputOf, encoder });
    });
  }

  /** Called when the output of any pin of the board has changed. */
  pinsChanged(): void {
    for (const motor of this.#motors) motor.pinsChanged();
  }

  /** Advances all motors to the current time, and reports the edges. */
  advance(): void {
    for (const motor of this.#motors) motor.advance();
  }

  /** The state of a motor, after jamming or releasing it if requested; undefined if there is no such motor. */
  state(index: number, isJammed?: boolean): JsonObject | undefined {
    const motor = this.#motors[index];
    if (motor === undefined) return undefined;
    if (isJammed !== undefined) motor.jam(isJammed);
    motor.advance();
    return { rpm: motor.rpm, revolutions: motor.revolutions, jammed: motor.isJammed };
  }

  close(): void {
    for (const motor of this.#motors) motor.close();
  }
}

/** The encoder lines of a motor, at their levels before it turns. */
function encoderOf(
  { encoder_pins: pins }: SimulatedMotorAttributes,
  index: number,
  options: WiredMotorsOptions,
): { readonly a: EncoderWire; readonly b: EncoderWire } | undefined {
  if (pins === undefined) return undefined;
  const { board, logger } = options;
  try {
    const wires = { a: wireOf(pins.a, options), b: wireOf(pins.b, options) };
    const { a, b } = levelsAt(0);
    wires.a.drive(a, 0n);
    wires.b.drive(b, 0n);
    return wires;
  } catch (thrown) {
    const { message } = toArmatureError(thrown);
    logger.warn(`Board "${board}": simulated motor ${index + 1} shows no edges: ${message}`);
    return undefined;
  }
}

function wireOf(pin: string, { find, pathOf, sim }: WiredMotorsOptions): EncoderWire {
  const { line } = find(pin);
  if (line === undefined) return { drive: () => undefined };
  // On the simulated computer a path never changes, and an unplugged chip ignores levels.
  const path = pathOf(line.chip);
  return { drive: (isHigh) => sim.pull(path, line.offset, isHigh) };
}
