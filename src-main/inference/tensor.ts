import type { JsonObject } from '../../proto/config/text/text-entries.ts';

/** How the elements of each type of tensor are held. 64-bit integers are bigints. */
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

/** What the elements of a tensor are. */
export type TensorType = keyof ElementsOf;

/** Elements in row-major order: as many as the sizes of the shape multiplied. */
export type Tensor = {
  readonly [T in TensorType]: {
    readonly type: T;
    readonly shape: readonly number[];
    readonly data: ElementsOf[T];
  };
}[TensorType];

/** By their names. */
export type Tensors = ReadonlyMap<string, Tensor>;

/** A file with labels that a tensor's values, or the places along its last axis, stand for. */
export interface LabelFile {
  readonly name: string;
  readonly description: string;
  /** `value`: a label for each value that an element can have. `axis`: one for each place along an axis. */
  readonly labelsOf: 'value' | 'axis' | 'unspecified';
}

/** A tensor that a model takes or gives. */
export interface TensorInfo {
  readonly name: string;
  readonly description: string;
  /** `uint8`, `float32` and the like, as the model names it. */
  readonly dataType: string;
  /** -1 is a size that is free. */
  readonly shape: readonly number[];
  readonly associatedFiles: readonly LabelFile[];
  /** What else is known: `labels` (a path, or the labels), `boxOrder`, `scale` and `zero_point`. */
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

/** How many elements a shape has; 1 for one without sizes. */
export function elementCount(shape: readonly number[]): number {
  return shape.reduce((count, size) => count * size, 1);
}
