import type { Encoder } from '../../apis/encoder.ts';

/** Which way a motor drives its shaft: forward, backward, or 0 where it does not. */
export type DriveDirection = -1 | 0 | 1;

/** An encoder that cannot tell which way its shaft turns: the motor on it does. */
export interface DirectedEncoder extends Encoder {
  /**
   * From now on ticks count in the motor's direction. Returns a function that undoes it. Throws `config.invalid` where
   * another
   * motor is attached.
   * @param direction read at each tick
   */
  attachMotor(motor: string, direction: () => DriveDirection): () => void;
}

export function isDirectedEncoder(encoder: Encoder): encoder is DirectedEncoder {
  return 'attachMotor' in encoder && typeof encoder.attachMotor === 'function';
}
