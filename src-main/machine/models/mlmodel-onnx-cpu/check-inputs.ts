import type { OnnxTensorInfo } from '../../../inference/onnx/onnx-protocol.ts';
import type { Tensor, Tensors, TensorType } from '../../../inference/tensor.ts';
import { badArgument } from '../../../apis/fields.ts';
import type { Resource } from '../../../apis/resource.ts';

/** Our type for a type of the model: half floats become floats, booleans become bytes. */
export function carriedAs(type: string): TensorType {
  if (type === 'float16') return 'float32';
  return type === 'bool' ? 'uint8' : (type as TensorType);
}

/**
 * The tensors under the model's own input names. If a model has only one input, its name is optional.
 * @throws {ArmatureError} `call.bad_argument` for a name, type or shape that the model does not accept, with what it
 * accepts
 */
export function checkedInputs(
  resource: Resource,
  given: Tensors,
  inputs: readonly OnnxTensorInfo[],
): readonly (readonly [name: string, tensor: Tensor])[] {
  const [only] = inputs;
  const named =
    inputs.length === 1 && only !== undefined && given.size === 1
      ? new Map([...given.values()].map((tensor) => [only.name, tensor]))
      : given;
  const wanted = inputs.map(({ name }) => `"${name}"`).join(', ');
  for (const name of named.keys()) {
    if (!inputs.some((input) => input.name === name)) throw badArgument(resource, 'an input tensor', name, wanted);
  }
  return inputs.map((input) => {
    const tensor = named.get(input.name);
    if (tensor === undefined) {
      const sent = [...given.keys()].map((name) => `"${name}"`).join(', ') || 'none';
      throw badArgument(
        resource,
        `the input tensor "${input.name}"`,
        undefined,
        `one of that name; sent were: ${sent}`,
      );
    }
    checkTensor(resource, tensor, input);
    return [input.name, tensor];
  });
}

function checkTensor(resource: Resource, { type, shape }: Tensor, input: OnnxTensorInfo): void {
  const wanted = carriedAs(input.type);
  if (type !== wanted) throw badArgument(resource, `the type of input tensor "${input.name}"`, type, wanted);
  const fits =
    shape.length === input.shape.length && input.shape.every((size, at) => size === -1 || size === shape[at]);
  if (fits) return;
  throw badArgument(
    resource,
    `the shape of input tensor "${input.name}"`,
    describeShape(shape),
    `${describeShape(input.shape)}, where -1 is any size`,
  );
}

function describeShape(shape: readonly number[]): string {
  return `[${shape.join(', ')}]`;
}
