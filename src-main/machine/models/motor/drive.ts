/** What turns a motor: takes a signed power and makes the outputs show it. */
export interface Drive {
  /**
   * @param power -1 to 1, already within its limits and not 0. When it fails, the outputs were switched off as far as
   * they could be reached.
   */
  apply(power: number): Promise<void>;
  /** All outputs off. Safe at any time; tries every output even if one fails. */
  off(): Promise<void>;
  /** Takes effect at once on a running motor. */
  setPwmFrequency(freqHz: number): Promise<void>;
}

/** A drive with nothing behind it. */
export const noDrive: Drive = {
  apply: () => Promise.resolve(),
  off: () => Promise.resolve(),
  setPwmFrequency: () => Promise.resolve(),
};
