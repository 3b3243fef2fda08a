import type { ReadAnalogReaderResponse } from '../../../../proto/gen/core/component/board/v1/board.ts';

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
export function analogOf({ value: raw, stepSize, minRange, maxRange }: ReadAnalogReaderResponse): AnalogValue {
  const isScaled = stepSize !== 1 && !(stepSize === 0 && maxRange === 0);
  const volts = isScaled ? minRange + raw * stepSize : undefined;
  return { raw, volts, shown: volts ?? raw };
}
