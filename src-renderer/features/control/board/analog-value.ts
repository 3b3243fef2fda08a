import type { WatchValue } from '../../../shared/machine/machine-view.ts';

/** An analog as it is read and as it is meant. */
export interface AnalogValue {
  /** Steps of the converter. */
  readonly raw: number;
  /** Undefined where the board does not say how large a step is. */
  readonly volts: number | undefined;
  /** What is drawn: volts, or steps where those are not known. */
  readonly shown: number;
}

/** Reads an answer. A step of one is a count of the converter, and no volt. */
export function analogOf(value: WatchValue): AnalogValue | undefined {
  const { value: raw, stepSize = 0, minimum = 0, maximum = 0 } = value;
  if (raw === undefined) return undefined;
  const isScaled = stepSize !== 1 && !(stepSize === 0 && maximum === 0);
  const volts = isScaled ? minimum + raw * stepSize : undefined;
  return { raw, volts, shown: volts ?? raw };
}
