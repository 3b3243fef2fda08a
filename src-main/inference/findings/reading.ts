import { detectionsOf, type DetectOptions, type Values } from './detect.ts';
import type { Detection } from './finding.ts';
import { findOutputs, numbersOf, outputsOf, type DetectorOutputs, type Outputs, type Remap } from './outputs.ts';
import type { Tensors } from '../tensor.ts';
import { ArmatureError } from '../../base/errors.ts';

/**
 * The role of each output of a run; values decide what names and shapes leave open.
 * @param known by names and shapes
 */
export function outputsOfRun(tensors: Tensors, known: Outputs, remap?: Remap): Outputs {
  const isKnown = known.detector === undefined || known.detector.score !== undefined;
  return isKnown ? known : findOutputs(outputsOf(tensors), remap);
}

/** @throws {ArmatureError} `config.invalid` where the run gave no such tensor, with those that it gave */
export function valuesIn(tensors: Tensors, name: string): Values {
  const tensor = tensors.get(name);
  if (tensor === undefined) {
    const found = [...tensors.keys()].map((one) => `"${one}"`).join(', ') || 'none';
    throw new ArmatureError('config.invalid', `the model gave no tensor "${name}"; it gave ${found}.`);
  }
  return { name, shape: tensor.shape, values: numbersOf(tensor) };
}

/**
 * The boxes of a run, in the order of the model.
 * @throws {ArmatureError} `config.invalid` for outputs that are missing, or do not belong together
 */
export function detectionsIn(
  tensors: Tensors,
  { location, score, category }: DetectorOutputs & { readonly score: string },
  options: DetectOptions,
): readonly Detection[] {
  const result = {
    location: valuesIn(tensors, location),
    score: valuesIn(tensors, score),
    category: category === undefined ? undefined : valuesIn(tensors, category),
  };
  return detectionsOf(result, options);
}
