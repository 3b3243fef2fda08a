import type { ArmatureError } from '../../../../base/errors.ts';

/** Turns a motor: sets the outputs to a signed power. */
export interface Drive {
  /**
   * @param power -1 to 1, already within its limits and not 0. After a failure the state of the outputs is unknown:
   * call {@link off}.
   */
  apply(power: number): Promise<void>;
  /**
   * Ends power with a brake, which holds until power or {@link off}. Switches off if braking is not possible now. After
   * a failure the state of the outputs is unknown: call {@link off}. Absent if the drive never brakes. Returns whether
   * it brakes.
   */
  brake?(): Promise<boolean>;
  /** Switches all outputs off. Safe at any time; tries every output even if one fails. */
  off(): Promise<void>;
  /** Takes effect at once on a running motor. */
  setPwmFrequency(freqHz: number): Promise<void>;
  /** Called when an output got power long after its command had failed, so that it can be switched off again. */
  onLatePower(listener: () => void): void;
  /**
   * Called when outputs ended without a command: unplugged, or made safe because the program hung. The remaining
   * outputs may be wrong without them: call {@link off}.
   */
  onLost(listener: (reason: ArmatureError) => void): void;
  /** Ends all notifications. */
  close(): void;
}

/** A drive without outputs. */
export const noDrive: Drive = {
  apply: () => Promise.resolve(),
  off: () => Promise.resolve(),
  setPwmFrequency: () => Promise.resolve(),
  onLatePower: () => undefined,
  onLost: () => undefined,
  close: () => undefined,
};
