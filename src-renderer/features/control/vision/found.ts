import type { CaptureAllFromCameraResponse, Detection } from '../../../../proto/gen/core/service/vision/v1/vision.ts';

/** A box to draw over a picture, placed in percent of the picture. */
export interface DrawnBox {
  readonly label: string;
  /** 0 to 1. */
  readonly confidence: number;
  readonly left: number;
  readonly top: number;
  readonly width: number;
  readonly height: number;
  /** Index of its colour, from 0; the same label always has the same one. */
  readonly color: number;
}

/** A class with the model's confidence in it. */
export interface FoundClass {
  readonly label: string;
  /** 0 to 1. */
  readonly confidence: number;
}

/** How long each step of a response took, ms; undefined where the service does not report it. */
export interface Timings {
  readonly taken: number | undefined;
  readonly prepared: number | undefined;
  readonly inferred: number | undefined;
}

/** Number of label colours in tokens.css (`--label-1` and on). */
export const COLOR_COUNT = 8;
const MAX_CLASSES = 5;

/**
 * The boxes that can be drawn, most confident first. A box with neither shares nor pixels is left out.
 * @param size of the picture in pixels, for services that give pixels only
 */
export function boxesOf(
  detections: readonly Detection[],
  size: { readonly width: number; readonly height: number },
): readonly DrawnBox[] {
  return detections
    .flatMap((detection) => {
      const sides = sidesOf(detection, size);
      if (sides === undefined) return [];
      const [left, top, right, bottom] = sides;
      const { className: label, confidence } = detection;
      const percent = (share: number): number => Math.min(1, Math.max(0, share)) * 100;
      const [from, above] = [percent(left), percent(top)];
      const [width, height] = [percent(right) - from, percent(bottom) - above];
      return [{ label, confidence, left: from, top: above, width, height, color: colorOf(label) }];
    })
    .toSorted((one, other) => other.confidence - one.confidence);
}

function sidesOf(
  detection: Detection,
  { width, height }: { readonly width: number; readonly height: number },
): readonly [number, number, number, number] | undefined {
  const { xMinNormalized, yMinNormalized, xMaxNormalized, yMaxNormalized, xMin, yMin, xMax, yMax } = detection;
  if (
    xMinNormalized !== undefined &&
    yMinNormalized !== undefined &&
    xMaxNormalized !== undefined &&
    yMaxNormalized !== undefined
  ) {
    return [xMinNormalized, yMinNormalized, xMaxNormalized, yMaxNormalized];
  }
  if (xMin === undefined || yMin === undefined || xMax === undefined || yMax === undefined || width * height === 0) {
    return undefined;
  }
  return [Number(xMin) / width, Number(yMin) / height, Number(xMax) / width, Number(yMax) / height];
}

/** The most confident classes of a picture. */
export function classesOf({ classifications }: CaptureAllFromCameraResponse): readonly FoundClass[] {
  return classifications
    .map(({ className: label, confidence }) => ({ label, confidence }))
    .toSorted((one, other) => other.confidence - one.confidence)
    .slice(0, MAX_CLASSES);
}

export function timingsOf({ extra = {} }: Pick<CaptureAllFromCameraResponse, 'extra'>): Timings {
  const ms = (key: string): number | undefined => (typeof extra[key] === 'number' ? extra[key] : undefined);
  return { taken: ms('picture_ms'), prepared: ms('prepare_ms'), inferred: ms('infer_ms') };
}

/** Computed from the label alone, so that it keeps its colour whatever else is in the picture. */
export function colorOf(label: string): number {
  let sum = 0;
  for (const letter of label) sum = (sum * 31 + (letter.codePointAt(0) ?? 0)) % 65_521;
  return sum % COLOR_COUNT;
}
