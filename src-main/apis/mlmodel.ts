import { defineApi, type ResourceApi } from './api.ts';
import { badArgument, type Field } from './fields.ts';
import { methodsOf } from './method.ts';
import type { CallOptions, JsonObject, Resource } from './resource.ts';
import {
  LabelType,
  MLModelServiceDefinition,
  type FlatTensor,
  type FlatTensors,
  type Metadata,
} from '../../proto/gen/core/service/mlmodel/v1/mlmodel.ts';

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
  /** `uint8`, `float32` and the like, as the model says it. */
  readonly dataType: string;
  /** -1 is a size that is free. */
  readonly shape: readonly number[];
  readonly associatedFiles: readonly LabelFile[];
  /** What else is known: `labels` (a path, or the labels), `boxOrder`, `scale` and `zero_point`. */
  readonly extra: JsonObject;
}

export interface ModelMetadata {
  readonly name: string;
  /** Free words: `onnx`, `tflite_detector`. */
  readonly type: string;
  readonly description: string;
  readonly inputs: readonly TensorInfo[];
  readonly outputs: readonly TensorInfo[];
}

/** A trained model, ready to run. */
export interface MlModel extends Resource {
  /**
   * Runs the model once.
   * @throws {ArmatureError} `call.bad_argument` for tensors that the model does not take, with those that it does
   */
  infer(inputs: Tensors, options?: CallOptions): Promise<Tensors>;
  metadata(options?: CallOptions): Promise<ModelMetadata>;
}

/** How many elements a shape has; 1 for one without sizes. */
export function elementCount(shape: readonly number[]): number {
  return shape.reduce((count, size) => count * size, 1);
}

type Wire = NonNullable<FlatTensor['tensor']>;
type Case = Wire['$case'];

const caseOf: Readonly<Record<TensorType, Case>> = {
  int8: 'int8Tensor',
  uint8: 'uint8Tensor',
  int16: 'int16Tensor',
  uint16: 'uint16Tensor',
  int32: 'int32Tensor',
  uint32: 'uint32Tensor',
  int64: 'int64Tensor',
  uint64: 'uint64Tensor',
  float32: 'floatTensor',
  float64: 'doubleTensor',
};

/** Sizes beyond it are no numbers that an array could have. */
const LARGEST_SIZE = 2n ** 31n;

const tensors: Field<Tensors, FlatTensors | undefined> = {
  write: (value) => ({ tensors: Object.fromEntries([...value].map(([name, tensor]) => [name, toWire(tensor)])) }),
  read: (wire, resource, argument) =>
    new Map(
      Object.entries(wire?.tensors ?? {}).map(([name, tensor]) => [
        name,
        fromWire(tensor, resource, `${argument}["${name}"]`),
      ]),
    ),
};

function toWire({ type, shape, data }: Tensor): FlatTensor {
  return { shape: shape.map(BigInt), tensor: { $case: caseOf[type], value: { data: wireElements(data) } } as Wire };
}

function wireElements(data: Tensor['data']): Uint8Array | readonly (number | bigint)[] {
  if (data.BYTES_PER_ELEMENT === 1) return new Uint8Array(data.buffer, data.byteOffset, data.length);
  // Sign-extended into fields without a sign: what every peer does.
  if (data instanceof Int16Array) return Array.from(data, (value) => value >>> 0);
  return [...data];
}

function fromWire({ shape: sizes, tensor }: FlatTensor, resource: Resource, argument: string): Tensor {
  if (tensor === undefined) throw badArgument(resource, argument, 'without elements', 'a tensor of a known type');
  const tooLarge = sizes.find((size) => size > LARGEST_SIZE);
  if (tooLarge !== undefined) throw badArgument(resource, `the shape of ${argument}`, tooLarge, 'sizes below 2^31');
  const shape = sizes.map(Number);
  const found = elementsOf(tensor, shape);
  const expected = elementCount(shape);
  if (found.data.length !== expected) {
    const allowed = `${expected}, as its shape [${shape.join(', ')}] says`;
    throw badArgument(resource, `the number of elements of ${argument}`, found.data.length, allowed);
  }
  return found;
}

function elementsOf({ $case, value }: Wire, shape: readonly number[]): Tensor {
  switch ($case) {
    case 'int8Tensor': {
      const { buffer, byteOffset, length } = value.data;
      return { type: 'int8', shape, data: new Int8Array(buffer, byteOffset, length) };
    }
    case 'uint8Tensor':
      return { type: 'uint8', shape, data: value.data };
    case 'int16Tensor':
      return { type: 'int16', shape, data: Int16Array.from(value.data) };
    case 'uint16Tensor':
      return { type: 'uint16', shape, data: Uint16Array.from(value.data) };
    case 'int32Tensor':
      return { type: 'int32', shape, data: Int32Array.from(value.data) };
    case 'uint32Tensor':
      return { type: 'uint32', shape, data: Uint32Array.from(value.data) };
    case 'int64Tensor':
      return { type: 'int64', shape, data: BigInt64Array.from(value.data) };
    case 'uint64Tensor':
      return { type: 'uint64', shape, data: BigUint64Array.from(value.data) };
    case 'floatTensor':
      return { type: 'float32', shape, data: Float32Array.from(value.data) };
    case 'doubleTensor':
      return { type: 'float64', shape, data: Float64Array.from(value.data) };
  }
}

const labelTypes = {
  unspecified: LabelType.UNSPECIFIED,
  value: LabelType.TENSOR_VALUE,
  axis: LabelType.TENSOR_AXIS,
} as const;

const labelsOf = (type: LabelType): LabelFile['labelsOf'] => {
  if (type === LabelType.TENSOR_VALUE) return 'value';
  return type === LabelType.TENSOR_AXIS ? 'axis' : 'unspecified';
};

const infos: Field<readonly TensorInfo[], Metadata['inputInfo']> = {
  write: (value) =>
    value.map(({ shape, associatedFiles, ...info }) => ({
      ...info,
      shape: [...shape],
      associatedFiles: associatedFiles.map(({ labelsOf: of, ...file }) => ({ ...file, labelType: labelTypes[of] })),
    })),
  read: (wire) =>
    wire.map(({ associatedFiles, extra, ...info }) => ({
      ...info,
      extra: (extra ?? {}) as JsonObject,
      associatedFiles: associatedFiles.map(({ labelType, ...file }) => ({ ...file, labelsOf: labelsOf(labelType) })),
    })),
};

const metadata: Field<ModelMetadata, Metadata | undefined> = {
  write: ({ inputs, outputs, ...about }, resource) => ({
    ...about,
    inputInfo: infos.write(inputs, resource),
    outputInfo: infos.write(outputs, resource),
  }),
  read: (wire, ...where) => ({
    name: wire?.name ?? '',
    type: wire?.type ?? '',
    description: wire?.description ?? '',
    inputs: infos.read(wire?.inputInfo ?? [], ...where),
    outputs: infos.read(wire?.outputInfo ?? [], ...where),
  }),
};

const { read } = methodsOf(MLModelServiceDefinition);

/** @internal */
export const mlmodelApi: ResourceApi<MlModel, typeof MLModelServiceDefinition> = defineApi({
  api: 'core:service:mlmodel',
  service: MLModelServiceDefinition,
  methods: {
    infer: read('infer', ['outputTensors', tensors], { inputTensors: tensors }, { endsWithCaller: true }),
    metadata: read('metadata', ['metadata', metadata]),
  },
});
