import { describeTensor, invalid } from '../pictures/input-spec.ts';
import type { Tensor, TensorInfo, Tensors } from '../tensor.ts';

/** Names of the outputs that contain boxes. */
export interface DetectorOutputs {
  readonly location: string;
  /** Undefined if two outputs are possible: the values decide. */
  readonly score: string | undefined;
  /** Undefined where scores are given for each label. */
  readonly category: string | undefined;
}

/** The results of a model, by the names of its outputs. */
export interface Outputs {
  readonly detector: DetectorOutputs | undefined;
  /** Name of the output with a probability for each label. */
  readonly classifier: string | undefined;
}

/** What is known about an output. */
export interface Output {
  readonly name: string;
  readonly dataType: string;
  readonly shape: readonly number[];
  readonly values?: ArrayLike<number> | undefined;
}

/** The model's own names of outputs, and their meanings. */
export type Remap = Readonly<Record<string, unknown>> | undefined;

/**
 * The role of each output: by the configured names, by the required names, and else by shapes. The order of the outputs
 * does not matter.
 * @throws {ArmatureError} `config.invalid` where names are remapped that the model does not have
 */
export function findOutputs(outputs: readonly Output[], remap: Remap = {}): Outputs {
  const sorted = outputs.toSorted((one, other) => (one.name < other.name ? -1 : 1));
  for (const own of Object.keys(remap)) {
    if (outputs.some(({ name }) => name === own)) continue;
    throw invalid(
      `remap_output_names names the output "${own}", which the model does not have; it has ${listed(outputs)}`,
    );
  }
  const named = (required: string): Output | undefined => {
    const own = Object.keys(remap).find((key) => remap[key] === required);
    // A remapped output no longer counts under its own name.
    return sorted.find(
      ({ name }) => name === own || (own === undefined && name === required && remap[name] === undefined),
    );
  };
  const probability = named('probability');
  const detector = detectorOf(sorted, named);
  const [only] = sorted;
  const single = sorted.length === 1 && detector === undefined ? only : undefined;
  return { detector, classifier: (probability ?? single)?.name };
}

function detectorOf(
  outputs: readonly Output[],
  named: (required: string) => Output | undefined,
): DetectorOutputs | undefined {
  const location = named('location') ?? guessedLocation(outputs, named);
  if (location === undefined) return undefined;
  const isFree = (output: Output): boolean =>
    output !== location && output !== named('probability') && output.shape.length >= 1;
  const score = named('score');
  const category = named('category');
  if (score !== undefined) return { location: location.name, score: score.name, category: category?.name };
  const others = outputs.filter((output) => isFree(output) && output !== category && output.shape.length >= 2);
  const [first, second] = others;
  if (first === undefined) return undefined;
  if (second === undefined || category !== undefined) {
    return { location: location.name, score: first.name, category: category?.name };
  }
  const found = others.find(isCategory);
  const scores = others.filter((output) => output !== found);
  const hinted = scores.find(({ name }) => /score|conf|prob/i.test(name)) ?? scores[0];
  const isKnown = found !== undefined;
  return { location: location.name, score: isKnown ? hinted?.name : undefined, category: found?.name };
}

/** The only output of boxes: four numbers each. */
function guessedLocation(
  outputs: readonly Output[],
  named: (required: string) => Output | undefined,
): Output | undefined {
  const taken = [named('score'), named('category'), named('probability')];
  const boxes = outputs.filter(
    (output) => !taken.includes(output) && output.shape.length === 3 && output.shape.slice(1).includes(4),
  );
  return boxes.find(({ name }) => /loc|box/i.test(name)) ?? (outputs.length > 1 ? boxes[0] : undefined);
}

function isCategory({ name, dataType, values }: Output): boolean {
  if (/class|categor|label/i.test(name)) return true;
  if (/^u?int/.test(dataType)) return true;
  if (values === undefined || values.length === 0) return false;
  let sum = 0;
  for (let at = 0; at < values.length; at++) {
    const value = values[at] ?? 0;
    if (!Number.isInteger(value)) return false;
    sum += value;
  }
  // All zeros may be the scores for an empty picture.
  return sum > 0;
}

/** Outputs of a model that was run. */
export function outputsOf(tensors: Tensors): readonly Output[] {
  return [...tensors].map(([name, tensor]) => ({
    name,
    dataType: tensor.type,
    shape: tensor.shape,
    values: numbersOf(tensor),
  }));
}

/** Elements as numbers. */
export function numbersOf({ data }: Tensor): ArrayLike<number> {
  return data instanceof BigInt64Array || data instanceof BigUint64Array ? Float64Array.from(data, Number) : data;
}

export function listed(outputs: readonly Pick<TensorInfo, 'name' | 'dataType' | 'shape'>[]): string {
  return outputs.map(describeTensor).join(', ') || 'none';
}
