import type { Filter } from './filter.ts';
import { labelOf } from './labels.ts';
import type { Box, Detection } from './finding.ts';
import { ArmatureError } from '../../base/errors.ts';

/** Which side each number of a box is: 0 left, 1 top, 2 right, 3 bottom. */
export type BoxOrder = readonly number[];

/** The order of TensorFlow detectors: top, left, bottom, right. */
export const DEFAULT_BOX_ORDER: BoxOrder = [1, 0, 3, 2];

/** Width and height, pixels. */
export interface Size {
  readonly width: number;
  readonly height: number;
}

/** A tensor of a model that was run. */
export interface Values {
  readonly name: string;
  readonly shape: readonly number[];
  readonly values: ArrayLike<number>;
}

export interface DetectorResult {
  readonly location: Values;
  readonly score: Values;
  /** Undefined if there are scores for each label. */
  readonly category: Values | undefined;
}

export interface DetectOptions {
  readonly labels: readonly string[];
  readonly order: BoxOrder;
  /** The model's input. */
  readonly input: Size;
  /** The picture from which the input was made. */
  readonly picture: Size;
  readonly filter: Filter;
}

/** Coordinates up to it are fractions of the picture; some models return a little more than 1. */
const LARGEST_SHARE = 2;

interface Scored {
  readonly index: number;
  readonly label: string;
  readonly confidence: number;
}

/**
 * The boxes that a model found, in its order.
 * @throws {ArmatureError} `config.invalid` for outputs that do not match, with their shapes
 */
export function detectionsOf(result: DetectorResult, options: DetectOptions): readonly Detection[] {
  const { location } = result;
  const count = location.values.length / 4;
  if (!Number.isInteger(count))
    throw unfit(result, `boxes have four numbers each, and there are ${location.values.length}`);
  const found = scoredOf(result, count, options.labels).filter(({ label, confidence }) =>
    options.filter(label, confidence),
  );
  const corners = cornersOf(location, count);
  // Decided for all boxes together: a model pads its output with boxes that are all zero.
  const largest = found.reduce((most, { index }) => Math.max(most, ...corners(index).map(Math.abs)), 0);
  const isShares = largest <= LARGEST_SHARE;
  return found.map(({ index, label, confidence }) => ({
    label,
    confidence,
    ...boxOf(sidesOf(corners(index), options.order), isShares, options),
  }));
}

function scoredOf(result: DetectorResult, count: number, labels: readonly string[]): readonly Scored[] {
  const { score, category } = result;
  if (category !== undefined) {
    for (const { name, values } of [score, category]) {
      if (values.length !== count)
        throw unfit(result, `there are ${count} boxes, and ${values.length} numbers in "${name}"`);
    }
    return Array.from({ length: count }, (_, index) => ({
      index,
      label: labelOf(labels, Math.round(category.values[index] ?? 0)),
      confidence: confidenceOf(score.values[index]),
    }));
  }
  if (count === 0) return [];
  const classes = score.values.length / count;
  if (!Number.isInteger(classes))
    throw unfit(result, `${score.values.length} scores cannot be shared out to ${count} boxes`);
  // [.., boxes, labels], or [.., labels, boxes]: how far apart the scores of one box are.
  const isBoxLast = score.shape.at(-1) === count && score.shape.at(-2) === classes && classes > 1 && classes !== count;
  const [perBox, perClass] = isBoxLast ? [1, count] : [classes, 1];
  return Array.from({ length: count }, (_, index) => {
    let best = 0;
    for (let of = 1; of < classes; of++) {
      const at = (label: number): number => score.values[index * perBox + label * perClass] ?? -Infinity;
      if (at(of) > at(best)) best = of;
    }
    return {
      index,
      label: labelOf(labels, best),
      confidence: confidenceOf(score.values[index * perBox + best * perClass]),
    };
  });
}

function confidenceOf(value = 0): number {
  return Number.isNaN(value) ? 0 : Math.min(1, Math.max(0, value));
}

/** The four numbers of a box, wherever they are: `[.., boxes, 4]` or `[.., 4, boxes]`. */
function cornersOf({ shape, values }: Values, count: number): (index: number) => readonly number[] {
  const isBoxLast = shape.at(-1) === count && shape.at(-2) === 4 && count !== 4;
  const [perBox, perSide] = isBoxLast ? [1, count] : [4, 1];
  return (index) => [0, 1, 2, 3].map((side) => values[index * perBox + side * perSide] ?? 0);
}

function sidesOf(corners: readonly number[], order: BoxOrder): Box {
  const side = (which: number): number => corners[order.indexOf(which)] ?? 0;
  return { xMin: side(0), yMin: side(1), xMax: side(2), yMax: side(3) };
}

function boxOf(sides: Box, isShares: boolean, { input, picture }: DetectOptions): Pick<Detection, 'pixels' | 'shares'> {
  const [left, right] = along(sides.xMin, sides.xMax, isShares ? undefined : input.width);
  const [top, bottom] = along(sides.yMin, sides.yMax, isShares ? undefined : input.height);
  const pixels = {
    xMin: pixel(left, picture.width),
    yMin: pixel(top, picture.height),
    xMax: pixel(right, picture.width),
    yMax: pixel(bottom, picture.height),
  };
  const shares = {
    xMin: pixels.xMin / picture.width,
    yMin: pixels.yMin / picture.height,
    xMax: pixels.xMax / picture.width,
    yMax: pixels.yMax / picture.height,
  };
  return { pixels, shares };
}

/**
 * Two sides as fractions, the smaller one first.
 * @param length in pixels of the model's input, if the numbers are pixels of it
 */
function along(one: number, other: number, length: number | undefined): readonly [number, number] {
  const last = length === undefined ? 1 : Math.max(1, length - 1);
  const share = (value: number): number => (Number.isNaN(value) ? 0 : Math.min(last, Math.max(0, value)) / last);
  return [Math.min(share(one), share(other)), Math.max(share(one), share(other))];
}

function pixel(share: number, length: number): number {
  return Math.trunc(share * (length - 1));
}

function unfit({ location, score, category }: DetectorResult, reason: string): ArmatureError {
  const shapes = [location, score, ...(category === undefined ? [] : [category])]
    .map(({ name, shape }) => `"${name}" [${shape.join(', ')}]`)
    .join(', ');
  return new ArmatureError('config.invalid', `the outputs of the model do not belong together: ${reason} (${shapes})`);
}
