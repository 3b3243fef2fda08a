import type { Tensor } from '../tensor.ts';

/** A tensor of the model file. */
export interface OnnxTensorInfo {
  readonly name: string;
  /** As ONNX Runtime calls it: `float32`, `float16`, `bool`. */
  readonly type: string;
  /** -1 is a size that is free. */
  readonly shape: readonly number[];
}

export interface OnnxModelInfo {
  readonly inputs: readonly OnnxTensorInfo[];
  readonly outputs: readonly OnnxTensorInfo[];
}

/** What the thread of a model is started with. */
export interface OnnxThreadOptions {
  readonly path: string;
  /** Threads of one run. */
  readonly threads: number;
}

/** `undefined` asks what the model is, once it is loaded. */
export type OnnxRequest = readonly (readonly [name: string, tensor: Tensor])[] | undefined;

export type OnnxResponse =
  | { readonly kind: 'info'; readonly info: OnnxModelInfo }
  | { readonly kind: 'outputs'; readonly outputs: readonly (readonly [name: string, tensor: Tensor])[] };
