import type { ArmatureError } from '../../../../base/errors.ts';

/** What turns a motor: takes a signed power and makes the outputs show it. */
export interface Drive {
  /**
   * @param power -1 to 1, already within its limits and not 0. When it fails, nobody knows what the outputs do: call
   * {@link off}.
   */
  apply(power: number): Promise<void>;
  /**
   * Ends power with a brake, which holds until power or {@link off}; off where that is not possible now. When it fails,
   * nobody knows what the outputs do: call {@link off}. Absent where the drive never brakes. Returns whether it brakes.
   */
  brake?(): Promise<boolean>;
  /** All outputs off. Safe at any time; tries every output even if one fails. */
  off(): Promise<void>;
  /** Takes effect at once on a running motor. */
  setPwmFrequency(freqHz: number): Promise<void>;
  /** The one who is told when an output took power long after its command had failed: to be switched off again. */
  onLatePower(listener: () => void): void;
  /**
   * The one who is told when outputs ended without a command: unplugged, or made safe because the program hung. Those
   * that are left may be wrong without them: call {@link off}.
   */
  onLost(listener: (reason: ArmatureError) => void): void;
  /** Tells nobody anything any more. */
  close(): void;
}

/** A drive with nothing behind it. */
export const noDrive: Drive = {
  apply: () => Promise.resolve(),
  off: () => Promise.resolve(),
  setPwmFrequency: () => Promise.resolve(),
  onLatePower: () => undefined,
  onLost: () => undefined,
  close: () => undefined,
};
