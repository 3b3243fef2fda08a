import type { InputSpec } from './input-spec.ts';
import type { Size } from '../findings/detect.ts';
import type { Tensor } from '../tensor.ts';

/** How pixels become values. */
export interface PixelRule {
  readonly isBgr: boolean;
  /** One for each channel, in the order in which the model has them. */
  readonly mean: readonly number[];
  readonly deviation: readonly number[];
}

/** An encoded picture, and the tensor that is to be made of it. */
export interface PictureRequest {
  readonly bytes: Uint8Array;
  readonly mimeType: string;
  readonly spec: InputSpec;
  readonly rule: PixelRule;
}

export interface PictureResponse {
  readonly tensor: Tensor;
  /** Of the picture as it came. */
  readonly size: Size;
}
