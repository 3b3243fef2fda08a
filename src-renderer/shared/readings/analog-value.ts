import type { ReadAnalogReaderResponse } from '../../../proto/gen/core/component/board/v1/board.ts';

/** The value of an analog, raw and in volts. */
export interface AnalogValue {
  /** Steps of the converter. */
  readonly raw: number;
  /** Undefined where the board does not give the size of a step. */
  readonly volts: number | undefined;
  /** The value that is drawn: volts, or steps where the volts are not known. */
  readonly shown: number;
}

/** Reads a response. A step size of one means a plain count, not volts. */
export function analogOf({ value: raw, stepSize, minRange, maxRange }: ReadAnalogReaderResponse): AnalogValue {
  const isScaled = stepSize !== 1 && !(stepSize === 0 && maxRange === 0);
  const volts = isScaled ? minRange + raw * stepSize : undefined;
  return { raw, volts, shown: volts ?? raw };
}
