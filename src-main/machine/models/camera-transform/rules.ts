import { attributesOf, DEFAULT_ANGLE, type Step, type StepAttributes, type TransformAttributes } from './attributes.ts';
import { attributeError, type AttributeProblem } from '../../../../proto/config/models/attribute-problem.ts';

/** Pixels. */
export interface PictureSize {
  readonly width: number;
  readonly height: number;
}

/** A part of a picture in whole pixels, measured from its upper left corner. */
export interface Region extends PictureSize {
  readonly left: number;
  readonly top: number;
}

/**
 * The part of a picture that a crop takes. Parts outside the picture are cut off, as in the public server.
 * @returns undefined if nothing is left
 */
export function croppedRegion(attributes: StepAttributes, { width, height }: PictureSize): Region | undefined {
  const { x_min_px: xMin = 0, y_min_px: yMin = 0, x_max_px: xMax = 0, y_max_px: yMax = 0 } = attributes;
  const isShares = !(xMax > 1 || yMax > 1) && !(xMin === 0 && yMin === 0 && xMax === 1 && yMax === 1);
  const [across, down] = isShares ? [width, height] : [1, 1];
  const left = Math.floor(xMin * across);
  const top = Math.floor(yMin * down);
  const region = {
    left,
    top,
    width: Math.min(Math.floor(xMax * across), width) - left,
    height: Math.min(Math.floor(yMax * down), height) - top,
  };
  return region.width > 0 && region.height > 0 ? region : undefined;
}

/** The size of a step's result for a picture of this size; undefined if it depends on the picture itself. */
export function sizeAfter({ type, attributes = {} }: Step, size: PictureSize | undefined): PictureSize | undefined {
  switch (type) {
    case 'resize':
      return { width: attributes.width_px ?? 0, height: attributes.height_px ?? 0 };
    case 'crop':
      return size && attributes.overlay_crop_box !== true ? croppedRegion(attributes, size) : size;
    case 'rotate': {
      const quarters = (attributes.angle_degs ?? DEFAULT_ANGLE) / 90;
      if (!Number.isInteger(quarters)) return undefined;
      return size && quarters % 2 !== 0 ? { width: size.height, height: size.width } : size;
    }
    default:
      return size;
  }
}

type Key = keyof StepAttributes;

/** Rules for the camera that its schema cannot express. */
export function checkTransform({ pipeline }: TransformAttributes): AttributeProblem[] {
  const problems: AttributeProblem[] = [];
  // Known from the first step that sets it.
  let size: PictureSize | undefined;
  pipeline.forEach((step, index) => {
    const found = [...checkKeys(step), ...checkValues(step, size)];
    const pointer = `/pipeline/${index}`;
    problems.push(...found.map((problem) => ({ ...problem, pointer: pointer + problem.pointer })));
    size = found.length > 0 ? undefined : sizeAfter(step, size);
  });
  return problems;
}

/** An error at an attribute of a step. */
function error(key: Key, code: string, message: string): AttributeProblem {
  return attributeError(`/attributes/${key}`, `attribute.${code}`, message);
}

function checkKeys({ type, attributes = {} }: Step): AttributeProblem[] {
  const own = attributesOf[type];
  return (Object.keys(attributes) as Key[])
    .filter((key) => !own.includes(key))
    .map((key) => error(key, 'unknown', `"${key}" is no attribute of ${type}; it has ${own.join(', ')}.`));
}

function checkValues(step: Step, size: PictureSize | undefined): AttributeProblem[] {
  const { type, attributes = {} } = step;
  switch (type) {
    case 'crop':
      return checkCrop(attributes, size);
    case 'resize':
      return (['width_px', 'height_px'] as const)
        .filter((key) => !attributes[key])
        .map((key) => error(key, 'missing', `"${key}" of resize is ${attributes[key] ?? 'not set'}: write 1 or more.`));
    case 'detections':
      return checkName(attributes, 'detector_name', 'detector');
    case 'classifications':
      return checkName(attributes, 'classifier_name', 'classifier');
    default:
      return [];
  }
}

function checkName(
  attributes: StepAttributes,
  key: 'detector_name' | 'classifier_name',
  what: string,
): AttributeProblem[] {
  if (attributes[key]) return [];
  return [error(key, 'missing', `"${key}" is not set: write the name of the vision service that is the ${what}.`)];
}

function checkCrop(attributes: StepAttributes, size: PictureSize | undefined): AttributeProblem[] {
  const empty = (
    [
      ['x_min_px', 'x_max_px'],
      ['y_min_px', 'y_max_px'],
    ] as const
  ).filter(([from, to]) => (attributes[from] ?? 0) >= (attributes[to] ?? 0));
  if (empty.length > 0) {
    return empty.map(([from, to]) => {
      const [least, most] = [attributes[from] ?? 0, attributes[to] ?? 0];
      return error(to, 'out_of_range', `"${to}" of crop is ${most}; it takes more than "${from}", which is ${least}.`);
    });
  }
  if (size === undefined || croppedRegion(attributes, size) !== undefined) return [];
  const message = `Nothing of the picture, which is ${size.width} × ${size.height} by then, is in the box of crop: move the box.`;
  return [error('x_max_px', 'out_of_range', message)];
}
