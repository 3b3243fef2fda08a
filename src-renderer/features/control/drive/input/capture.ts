import type { Pad } from './pad-watch.ts';

/** A stick that was moved: its axis, and whether the way that it was moved is the negative one. */
export interface CapturedAxis {
  readonly axis: number;
  readonly isReversed: boolean;
}

/** A stick counts as moved from here on, of the whole way from the middle. */
const MIN_TILT = 0.5;

/** The button that was pressed since `before`; undefined while none was. */
export function capturedButton(before: Pad, now: Pad): number | undefined {
  const at = now.buttons.findIndex(({ isPressed }, index) => isPressed && before.buttons[index]?.isPressed !== true);
  return at < 0 ? undefined : at;
}

/** The axis that was moved furthest since `before`; undefined while none was moved far enough. */
export function capturedAxis(before: Pad, now: Pad): CapturedAxis | undefined {
  const moves = now.axes.map((value, axis) => ({ axis, by: value - (before.axes[axis] ?? 0) }));
  const furthest = moves.toSorted((one, other) => Math.abs(other.by) - Math.abs(one.by))[0];
  if (furthest === undefined || Math.abs(furthest.by) < MIN_TILT) return undefined;
  return { axis: furthest.axis, isReversed: furthest.by < 0 };
}
