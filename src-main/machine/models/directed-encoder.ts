import type { Encoder } from '../../apis/encoder.ts';

/** The direction in which a motor drives its shaft: forward, backward, or 0 if it does not drive. */
export type DriveDirection = -1 | 0 | 1;

/** An encoder that cannot detect the direction of its shaft: the motor on that shaft provides it. */
export interface DirectedEncoder extends Encoder {
  /**
   * Counts ticks in the motor's direction from now on. Returns a function that undoes it. Throws `config.invalid` if
   * another motor is attached.
   * @param direction read at each tick
   */
  attachMotor(motor: string, direction: () => DriveDirection): () => void;
}

export function isDirectedEncoder(encoder: Encoder): encoder is DirectedEncoder {
  return 'attachMotor' in encoder && typeof encoder.attachMotor === 'function';
}
