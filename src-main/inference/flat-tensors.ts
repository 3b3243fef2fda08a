import type { Tensor, TensorType, Tensors } from './tensor.ts';
import type { FlatTensor, FlatTensors } from '../../proto/gen/core/service/mlmodel/v1/mlmodel.ts';

/** The elements of a tensor in a message. */
export type FlatElements = NonNullable<FlatTensor['tensor']>;
type Case = FlatElements['$case'];

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

/** Tensors as messages carry them. */
export function flatTensors(tensors: Tensors): FlatTensors {
  return { tensors: Object.fromEntries([...tensors].map(([name, tensor]) => [name, toWire(tensor)])) };
}

function toWire({ type, shape, data }: Tensor): FlatTensor {
  return {
    shape: shape.map(BigInt),
    tensor: { $case: caseOf[type], value: { data: wireElements(data) } } as FlatElements,
  };
}

function wireElements(data: Tensor['data']): Uint8Array | readonly (number | bigint)[] {
  if (data.BYTES_PER_ELEMENT === 1) return new Uint8Array(data.buffer, data.byteOffset, data.length);
  // Sign-extended into fields without a sign: what every peer does.
  if (data instanceof Int16Array) return Array.from(data, (value) => value >>> 0);
  return [...data];
}
