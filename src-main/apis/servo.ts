import type { Actuator, CallOptions } from './resource.ts';

/** A servo: goes to an angle and holds it. */
export interface Servo extends Actuator {
  /** Sends it to an angle in degrees, held to what it can reach. Answers when it is sent, not when it is there. */
  move(angleDeg: number, options?: CallOptions): Promise<void>;
  /**
   * Angle in degrees that it stands at or was last sent to. Never moves it. Throws `call.failed_precondition` where
   * that is not known.
   */
  position(options?: CallOptions): Promise<number>;
}
