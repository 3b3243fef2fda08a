import { wiresOf } from '../board-linux/rules.ts';
import type { LinuxBoardAttributes } from '../board-linux/attributes.ts';
import { DEFAULT_PWM_FREQ_HZ, type GpioMotorAttributes } from '../motor-gpio/schema.ts';
import {
  DEFAULT_SERVO_HZ,
  highestServoHz,
  LONGEST_WIDTH_US,
  LOWEST_SERVO_HZ,
  type GpioServoAttributes,
} from '../servo-gpio/schema.ts';
import type { ResourceLookup, WiredResource, WiringProblem } from './wiring.ts';
import { saysOneClock } from '../../../../proto/config/models/one-clock.ts';

/** A resource's use of a PWM chip whose channels share one clock. */
interface ClockUse {
  /** The PWM chip, as named in the board's attributes. */
  readonly chip: string;
  readonly hz: number;
  /** Pointer to the attribute with the frequency. */
  readonly pointer: string;
}

/**
 * Two users of a PWM chip with one clock that want different frequencies: the second one would be refused at run time.
 * Only chips that the board's attributes name as such are known here; for a chip named by a path or a place, the board
 * reports the problem at run time.
 * Pointers are relative to `attributes`.
 * @param all every resource whose attributes match their schema, including `resource`
 */
export function clockProblems(
  resource: WiredResource,
  all: readonly WiredResource[],
  find: ResourceLookup,
): WiringProblem[] {
  const board = boardOf(resource, find);
  const use = board && useOf(resource, board);
  if (board === undefined || use === undefined) return [];
  const { chip, hz, pointer } = use;
  for (const other of all) {
    if (other === resource || other.name === resource.name || boardOf(other, find) !== board) continue;
    const others = useOf(other, board);
    if (others === undefined || others.chip !== chip || others.hz === hz) continue;
    const kind = other.api.slice(other.api.lastIndexOf(':') + 1);
    const message = `All channels of PWM chip "${chip}" of board "${board.name}" have one clock: "${resource.name}" runs at ${hz} Hz there, and ${kind} "${other.name}" at ${others.hz} Hz. Set the same frequency for both.`;
    return [{ pointer, severity: 'warning', code: 'attribute.conflict', message, keepsFromReady: false }];
  }
  return [];
}

function boardOf({ attributes }: WiredResource, find: ResourceLookup): WiredResource | undefined {
  const { board } = attributes as { readonly board?: unknown };
  const found = typeof board === 'string' ? find(board, 'core:component:board') : undefined;
  return found?.model === 'core:builtin:linux' ? found : undefined;
}

function useOf({ api, model, attributes }: WiredResource, board: WiredResource): ClockUse | undefined {
  if (model !== 'core:builtin:gpio') return undefined;
  const of = board.attributes as LinuxBoardAttributes;
  if (api === 'core:component:servo') {
    const servo = attributes as GpioServoAttributes;
    const chip = clockOf(of, servo.pin);
    return chip === undefined ? undefined : { chip, hz: servoHz(servo, of), pointer: '/frequency_hz' };
  }
  if (api !== 'core:component:motor') return undefined;
  const { pins, pwm_freq: freqHz = 0 } = attributes as GpioMotorAttributes;
  // Without a pin for the speed, the two inputs carry the PWM; a pin with a plain level has no frequency.
  const carriers = (pins.pwm ?? '') === '' ? [pins.a, pins.b] : [pins.pwm];
  const chip = carriers.map((pin) => clockOf(of, pin)).find((found) => found !== undefined);
  const hz = freqHz === 0 ? DEFAULT_PWM_FREQ_HZ : freqHz;
  return chip === undefined ? undefined : { chip, hz, pointer: '/pwm_freq' };
}

/** The chip with one clock that drives a pin. */
function clockOf({ pins = [] }: LinuxBoardAttributes, name: string | undefined): string | undefined {
  const entry = pins.find((pin) => pin.name === name) ?? pins.find((pin) => pin.pin === name && name !== undefined);
  const { pwmChip, pwmChannel } = entry === undefined ? {} : wiresOf(entry);
  return pwmChip !== undefined && pwmChannel !== undefined && saysOneClock(pwmChip) ? pwmChip : undefined;
}

/** As in `gpio-servo.ts`: the servo's own frequency, else that of the board if it suits servos. */
function servoHz(servo: GpioServoAttributes, { pwm_frequency_hz: boardHz = 0 }: LinuxBoardAttributes): number {
  const highestHz = highestServoHz(servo.max_width_us ?? LONGEST_WIDTH_US);
  const isUsable = boardHz >= LOWEST_SERVO_HZ && boardHz <= highestHz;
  return Math.min(servo.frequency_hz ?? (isUsable ? boardHz : DEFAULT_SERVO_HZ), highestHz);
}
