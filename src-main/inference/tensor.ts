import type { JsonObject } from '../../proto/config/text/text-entries.ts';

/** The array type for each type of tensor. 64-bit integers are bigints. */
interface ElementsOf {
  readonly int8: Int8Array;
  readonly uint8: Uint8Array;
  readonly int16: Int16Array;
  readonly uint16: Uint16Array;
  readonly int32: Int32Array;
  readonly uint32: Uint32Array;
  readonly int64: BigInt64Array;
  readonly uint64: BigUint64Array;
  readonly float32: Float32Array;
  readonly float64: Float64Array;
}

/** The element types of a tensor. */
export type TensorType = keyof ElementsOf;

/** Elements in row-major order: as many as the product of the sizes in the shape. */
export type Tensor = {
  readonly [T in TensorType]: {
    readonly type: T;
    readonly shape: readonly number[];
    readonly data: ElementsOf[T];
  };
}[TensorType];

/** By their names. */
export type Tensors = ReadonlyMap<string, Tensor>;

/** A file with labels for a tensor's values, or for the positions along its last axis. */
export interface LabelFile {
  readonly name: string;
  readonly description: string;
  /** `value`: a label for each possible value of an element. `axis`: one for each position along an axis. */
  readonly labelsOf: 'value' | 'axis' | 'unspecified';
}

/** A tensor that a model accepts or returns. */
export interface TensorInfo {
  readonly name: string;
  readonly description: string;
  /** `uint8`, `float32` and the like, in the model's spelling. */
  readonly dataType: string;
  /** -1 is a free size. */
  readonly shape: readonly number[];
  readonly associatedFiles: readonly LabelFile[];
  /** Further properties: `labels` (a path, or the labels), `boxOrder`, `scale` and `zero_point`. */
  readonly extra: JsonObject;
}

export interface ModelMetadata {
  readonly name: string;
  /** Free text: `onnx`, `tflite_detector`. */
  readonly type: string;
  readonly description: string;
  readonly inputs: readonly TensorInfo[];
  readonly outputs: readonly TensorInfo[];
}

/** Number of elements of a shape; 1 for one without sizes. */
export function elementCount(shape: readonly number[]): number {
  return shape.reduce((count, size) => count * size, 1);
}
