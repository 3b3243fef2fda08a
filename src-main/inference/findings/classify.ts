import type { Filter } from './filter.ts';
import { labelOf } from './labels.ts';
import type { Classification } from './finding.ts';

/** A sum of probabilities may exceed 1 by this much because of rounding. */
const ROUNDING = 1e-3;

/** The classifications of a model's run, in the order of its labels. */
export function classificationsOf(
  values: ArrayLike<number>,
  labels: readonly string[],
  filter: Filter,
): readonly Classification[] {
  return Array.from(probabilitiesOf(values), (confidence, index) => ({
    label: labelOf(labels, index),
    confidence,
  })).filter(({ label, confidence }) => filter(label, confidence));
}

/** So many of the most likely ones; all, as they are, for 0 or less. */
export function mostLikely(found: readonly Classification[], count: number): readonly Classification[] {
  if (count <= 0) return found;
  return found.toSorted((one, other) => other.confidence - one.confidence).slice(0, count);
}

/** Outputs of a model as probabilities: other values are taken as logits. */
export function probabilitiesOf(values: ArrayLike<number>): Float64Array {
  const given = Float64Array.from(values, (value) => (Number.isNaN(value) ? 0 : value));
  const [only = 0] = given;
  if (given.length === 1) return given.map(() => (only < -1 || only > 1 ? sigmoid(only) : share(only)));
  return given.some((value) => value < -ROUNDING || value > 1 + ROUNDING) ? softmax(given) : given.map(share);
}

function share(value: number): number {
  return Math.min(1, Math.max(0, value));
}

function sigmoid(value: number): number {
  return 1 / (1 + Math.exp(-value));
}

/** Subtracts the largest value first, because exponentials of large numbers are infinite. */
function softmax(values: Float64Array): Float64Array {
  const largest = values.reduce((most, value) => Math.max(most, value), -Infinity);
  const powers = values.map((value) => Math.exp(value - largest));
  const sum = powers.reduce((total, value) => total + value, 0);
  return powers.map((value) => value / sum);
}
