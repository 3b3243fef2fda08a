import type { AxisChoice, DriveChoices, Source } from '../choices/drive-choices.ts';
import type { HeldKeys } from '../input/held-keys.ts';
import type { Pad } from '../input/pad-watch.ts';
import { withDeadZone } from '../input/stick.ts';
import { mixWheels } from './mixing.ts';

/** What one moment of input asks for, by full name. */
export interface DriveValues {
  /** -1 to 1. */
  readonly powers: ReadonlyMap<string, number>;
  /** Degrees per second, with the direction as sign. */
  readonly rates: ReadonlyMap<string, number>;
}

/** What the holder has: keys move nothing while the gamepad drives, and the other way round. */
export type Hands =
  { readonly by: 'keys'; readonly keys: Pick<HeldKeys, 'valueOf'> } | { readonly by: 'pad'; readonly pad: Pad };

/** What is asked of each motor and servo. No power is above the limit. */
export function driveValues(choices: DriveChoices, hands: Hands): DriveValues {
  const limit = choices.limitPercent / 100;
  const valueOf = (source: Source): number => {
    if (source.kind === 'keys') return hands.by === 'keys' ? hands.keys.valueOf(source.pair) : 0;
    return hands.by === 'pad' ? axisValue(hands.pad, source, choices.deadZonePercent) : 0;
  };
  const powers = new Map<string, number>();
  const put = ({ name, isInverted }: { name: string; isInverted: boolean }, value: number): void => {
    if (name !== '') powers.set(name, signed(value, isInverted) * limit);
  };
  if (choices.layout === 'wheels') {
    const { throttle, steering } = wheelInput(choices, hands);
    const { left, right } = mixWheels(throttle, steering);
    put(choices.left, left);
    put(choices.right, right);
  } else {
    for (const motor of choices.motors) put(motor, valueOf(motor.source));
  }
  const rates = new Map(
    choices.servos
      .filter(({ name }) => name !== '')
      .map(({ name, isInverted, source, rateDegPerS }) => [name, signed(valueOf(source), isInverted) * rateDegPerS]),
  );
  return { powers, rates };
}

function wheelInput(choices: DriveChoices, hands: Hands): { throttle: number; steering: number } {
  if (hands.by === 'pad') {
    const { pad } = hands;
    return {
      throttle: axisValue(pad, choices.throttle, choices.deadZonePercent),
      steering: axisValue(pad, choices.steering, choices.deadZonePercent),
    };
  }
  const { keys } = hands;
  const either = (letters: number, arrows: number): number => Math.max(-1, Math.min(1, letters + arrows));
  return {
    throttle: either(keys.valueOf('ws'), keys.valueOf('upDown')),
    steering: either(keys.valueOf('da'), keys.valueOf('rightLeft')),
  };
}

/** Never -0, which would be a power to some. */
const signed = (value: number, isInverted: boolean): number => (isInverted && value !== 0 ? -value : value);

function axisValue({ axes }: Pad, { axis, isReversed }: AxisChoice, deadZonePercent: number): number {
  return signed(withDeadZone(axes[axis] ?? 0, deadZonePercent / 100), isReversed);
}

/** The axes that move something. */
export function usedAxes({ layout, throttle, steering, motors, servos }: DriveChoices): ReadonlySet<number> {
  const rows = [...(layout === 'single' ? motors : []), ...servos].filter(({ name }) => name !== '');
  const axes = rows.flatMap(({ source }) => (source.kind === 'axis' ? [source.axis] : []));
  return new Set(layout === 'wheels' ? [throttle.axis, steering.axis, ...axes] : axes);
}

/** Whether every stick that moves something is in the middle. */
export function isCentred(choices: DriveChoices, pad: Pad): boolean {
  const deadZone = choices.deadZonePercent / 100;
  return [...usedAxes(choices)].every((axis) => withDeadZone(pad.axes[axis] ?? 0, deadZone) === 0);
}
