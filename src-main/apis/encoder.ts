import type { CallOptions, Resource } from './resource.ts';

export type PositionType = 'ticks' | 'degrees';

export interface EncoderPosition {
  readonly value: number;
  readonly type: PositionType;
}

export interface EncoderProperties {
  readonly isTicksSupported: boolean;
  readonly isDegreesSupported: boolean;
}

export interface Encoder extends Resource {
  /** @param type undefined: the encoder's own. Throws `call.unimplemented` for a type it does not have. */
  position(type: PositionType | undefined, options?: CallOptions): Promise<EncoderPosition>;
  /** Makes the present position zero. */
  resetPosition(options?: CallOptions): Promise<void>;
  properties(options?: CallOptions): Promise<EncoderProperties>;
}
