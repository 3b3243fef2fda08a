import type { ModelMetadata, TensorInfo } from '../tensor.ts';
import type { JsonValue } from '../../../proto/config/text/json-text.ts';
import { ArmatureError } from '../../base/errors.ts';

/** The picture input of a model. */
export interface InputSpec {
  /** The model's own name of the tensor. */
  readonly name: string;
  /** Pixels; undefined where any size is accepted. */
  readonly width: number | undefined;
  readonly height: number | undefined;
  /** Whether all of one colour comes before the next one. */
  readonly isChannelsFirst: boolean;
  readonly type: 'uint8' | 'int8' | 'float32';
  /** Of a quantised input: a value is `round(real / scale + zeroPoint)`. */
  readonly quantisation: { readonly scale: number; readonly zeroPoint: number } | undefined;
}

/** As a vision service is configured: the model's own names of inputs, and what they stand for. */
export interface InputNames {
  readonly remap_input_names?: Readonly<Record<string, unknown>> | undefined;
}

const REQUIRED = 'image';

/**
 * @throws {ArmatureError} `config.invalid` where the model has no picture input, or remapped names that do not exist
 */
export function inputSpec(
  { inputs }: Pick<ModelMetadata, 'inputs'>,
  { remap_input_names: remap = {} }: InputNames,
): InputSpec {
  const known = inputs.map(describeTensor).join(', ') || 'none';
  for (const own of Object.keys(remap)) {
    if (inputs.some(({ name }) => name === own)) continue;
    throw invalid(`remap_input_names names the input "${own}", which the model does not have; it has ${known}`);
  }
  const remapped = Object.keys(remap).find((own) => remap[own] === REQUIRED);
  const pictures = inputs.filter(({ shape }) => shape.length === 4);
  const input =
    inputs.find(({ name }) => name === remapped) ??
    inputs.find(({ name }) => name === REQUIRED) ??
    (pictures.length === 1 ? pictures[0] : undefined);
  if (input === undefined) {
    const next = 'Name the input that takes the picture: "remap_input_names": {"<its name>": "image"}.';
    throw invalid(`the model has no input "${REQUIRED}"; its inputs are ${known}. ${next}`);
  }
  return specOf(input);
}

function specOf(input: TensorInfo): InputSpec {
  const [, first = 0, second = 0, third = 0] = input.shape;
  if (input.shape.length !== 4 || (first !== 3 && third !== 3 && third !== -1)) {
    throw invalid(
      `its input ${describeTensor(input)} is no picture: wanted are four sizes, one of them 3 for the colours`,
    );
  }
  const isChannelsFirst = first === 3;
  const [height, width] = isChannelsFirst ? [second, third] : [first, second];
  return {
    name: input.name,
    width: width > 0 ? width : undefined,
    height: height > 0 ? height : undefined,
    isChannelsFirst,
    type: typeOf(input),
    quantisation: quantisationOf(input),
  };
}

function typeOf(input: TensorInfo): InputSpec['type'] {
  switch (input.dataType) {
    case 'uint8':
    case 'int8':
    case 'float32':
      return input.dataType;
    // Models of half floats are given floats.
    case 'float16':
      return 'float32';
    default:
      throw invalid(
        `its input ${describeTensor(input)} has values of type ${input.dataType}; uint8, int8 and float32 can be made`,
      );
  }
}

function quantisationOf({ extra }: TensorInfo): InputSpec['quantisation'] {
  const scale = firstNumber(extra['scale']);
  return scale === undefined || scale === 0 ? undefined : { scale, zeroPoint: firstNumber(extra['zero_point']) ?? 0 };
}

/** Runtimes give one number, or a list with one for each channel. */
function firstNumber(value: JsonValue | undefined): number | undefined {
  const one = Array.isArray(value) ? value[0] : value;
  return typeof one === 'number' && Number.isFinite(one) ? one : undefined;
}

/** A tensor as messages name it. */
export function describeTensor({ name, dataType, shape }: Pick<TensorInfo, 'name' | 'dataType' | 'shape'>): string {
  return `"${name}" (${dataType} [${shape.join(', ')}])`;
}

export function invalid(message: string): ArmatureError {
  return new ArmatureError('config.invalid', message);
}
