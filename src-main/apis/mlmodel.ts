import { defineApi, type ResourceApi } from './api.ts';
import { badArgument, type Field } from './fields.ts';
import { methodsOf } from './method.ts';
import type { CallOptions, JsonObject, Resource } from './resource.ts';
import { flatTensors, type FlatElements } from '../inference/flat-tensors.ts';
import {
  elementCount,
  type LabelFile,
  type ModelMetadata,
  type Tensor,
  type TensorInfo,
  type Tensors,
} from '../inference/tensor.ts';
import {
  LabelType,
  MLModelServiceDefinition,
  type FlatTensor,
  type FlatTensors,
  type Metadata,
} from '../../proto/gen/core/service/mlmodel/v1/mlmodel.ts';

/** A trained model, ready to run. */
export interface MlModel extends Resource {
  /**
   * Runs the model once.
   * @throws {ArmatureError} `call.bad_argument` for tensors that the model does not accept, listing those that it does
   */
  infer(inputs: Tensors, options?: CallOptions): Promise<Tensors>;
  metadata(options?: CallOptions): Promise<ModelMetadata>;
}

/** An array cannot be larger. */
const LARGEST_SIZE = 2n ** 31n;

const tensors: Field<Tensors, FlatTensors | undefined> = {
  write: flatTensors,
  read: (wire, resource, argument) =>
    new Map(
      Object.entries(wire?.tensors ?? {}).map(([name, tensor]) => [
        name,
        fromWire(tensor, resource, `${argument}["${name}"]`),
      ]),
    ),
};

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

function elementsOf({ $case, value }: FlatElements, shape: readonly number[]): Tensor {
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
