import type { PinLocation } from './pin-names.ts';
import type { WiredMotors } from './wired-motors.ts';
import type { JsonObject, JsonValue } from '../../../apis/resource.ts';
import { ArmatureError } from '../../../base/errors.ts';
import { withHardware } from '../../../hardware/hardware-error.ts';
import type { SimWorld } from '../../../hardware/hardware-types.ts';
import { placeOf } from './rules.ts';
import type { LinuxAnalogAttributes } from './attributes.ts';

export interface SimulatedBoard {
  readonly board: string;
  /** Undefined on a real computer. */
  readonly sim: SimWorld | undefined;
  find(pin: string): PinLocation;
  pathOf(chip: string): string;
  pwmPathOf(chip: string): string;
  readonly analogs: readonly LinuxAnalogAttributes[];
  readonly motors: Pick<WiredMotors, 'state'> | undefined;
}

const COMMANDS = [
  '{"simulate": {"pull": ["pin", true]}}',
  '{"simulate": {"probe": "pin"}}',
  '{"simulate": {"analog": ["name", 512]}}',
  '{"simulate": {"motor": 0}}',
  '{"simulate": {"jam": [0, true]}}',
  '{"simulate": {"unplug": "/dev/gpiochip0"}}',
  '{"simulate": {"plug": "/dev/gpiochip0"}}',
].join(', ');

/**
 * DoCommand of a board on the simulated computer: the world at the other end of its wires.
 * - `{"simulate": {"pull": ["12", true]}}` drives a wire from outside. Levels are those of the wire.
 * - `{"simulate": {"probe": "12"}}` answers `is_driven`, `is_high`, and `duty`, the share of time high since the last
 *   probe; of a pin of a PWM chip `duty` and `freq_hz`.
 * - `{"simulate": {"analog": ["pot", 512]}}` sets the raw value at the channel of an analog.
 * - `{"simulate": {"motor": 0}}` answers `rpm`, `revolutions` and `jammed` of a motor of `simulated_motors`, counted from 0;
 *   `{"simulate": {"jam": [0, true]}}` holds it fast, so that it has power and does not turn.
 * - `{"simulate": {"unplug": "/dev/gpiochip0"}}` takes a device away, `"plug"` puts it back.
 */
export function simulate(command: JsonObject, board: SimulatedBoard): JsonObject {
  const asked = command['simulate'];
  const { sim } = board;
  if (sim === undefined) {
    throw new ArmatureError(
      'call.bad_argument',
      `Board "${board.board}" knows no commands on a real computer; on a simulated one (-simulate-hardware) it knows ${COMMANDS}.`,
    );
  }
  const name = isObject(asked) ? (Object.keys(asked)[0] ?? '') : '';
  const value = isObject(asked) ? asked[name] : undefined;
  return withHardware(`Board "${board.board}", simulate`, () => {
    switch (name) {
      case 'pull':
        return pull(value, board, sim);
      case 'probe':
        return typeof value === 'string' ? probe(value, board, sim) : unknown(board);
      case 'analog':
        return setAnalog(value, board, sim);
      case 'motor':
      case 'jam':
        return motor(value, board);
      case 'plug':
      case 'unplug':
        if (typeof value !== 'string') return unknown(board);
        sim[name](value);
        return {};
      default:
        return unknown(board);
    }
  });
}

function pull(value: JsonValue | undefined, board: SimulatedBoard, sim: SimWorld): JsonObject {
  const [pin, isHigh] = Array.isArray(value) ? value : [];
  if (typeof pin !== 'string' || typeof isHigh !== 'boolean') return unknown(board);
  const { line } = board.find(pin);
  if (line === undefined) return unknown(board);
  sim.pull(board.pathOf(line.chip), line.offset, isHigh);
  return {};
}

function probe(pin: string, board: SimulatedBoard, sim: SimWorld): JsonObject {
  const { line, pwm } = board.find(pin);
  if (pwm !== undefined) {
    const { dutyCycle, frequencyHz } = sim.probePwm(board.pwmPathOf(pwm.chip), pwm.channel);
    return { duty: dutyCycle, freq_hz: frequencyHz };
  }
  if (line === undefined) return unknown(board);
  const { isDriven, isHigh, dutyCycle } = sim.probe(board.pathOf(line.chip), line.offset);
  return { is_driven: isDriven, is_high: isHigh, duty: dutyCycle };
}

function setAnalog(value: JsonValue | undefined, board: SimulatedBoard, sim: SimWorld): JsonObject {
  const [name, raw] = Array.isArray(value) ? value : [];
  const analog = board.analogs.find((one) => one.name === name);
  if (analog === undefined || typeof raw !== 'number') return unknown(board);
  const { device, channel } = placeOf(analog);
  sim.setAdc(device, channel, raw);
  return {};
}

function motor(value: JsonValue | undefined, board: SimulatedBoard): JsonObject {
  const [index, isJammed] = Array.isArray(value) ? value : [value];
  if (typeof index !== 'number' || (isJammed !== undefined && typeof isJammed !== 'boolean')) return unknown(board);
  return board.motors?.state(index, isJammed) ?? unknown(board);
}

function unknown({ board }: SimulatedBoard): never {
  throw new ArmatureError('call.bad_argument', `Board "${board}" knows the commands ${COMMANDS}.`);
}

function isObject(value: JsonValue | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
