import { DEFAULT_ANGLE, DEFAULT_MOST_CLASSIFICATIONS, type Step, type StepAttributes } from './attributes.ts';
import type { Frame } from './frame.ts';
import { boxesSvg, linesSvg } from './overlay.ts';
import { croppedRegion, type PictureSize, type Region } from './rules.ts';
import type { Vision } from '../../../apis/vision.ts';
import type { Detection } from '../../../inference/findings/finding.ts';

/** Makes the next picture from a picture. @throws {Error} why it cannot, worded to follow the step's name */
export type StepRun = (frame: Frame, signal: AbortSignal | undefined) => Promise<Frame>;

/** @param vision returns the vision service that a step names */
export function stepRun({ type, attributes = {} }: Step, vision: (name: string) => Vision): StepRun {
  switch (type) {
    case 'crop':
      return (frame) => crop(frame, attributes);
    case 'resize':
      return (frame) =>
        frame.changed((picture) => picture.resize(attributes.width_px, attributes.height_px, { fit: 'fill' }));
    case 'rotate': {
      const angle = attributes.angle_degs ?? DEFAULT_ANGLE;
      return (frame) => frame.changed((picture) => picture.rotate(angle, { background: '#000' }));
    }
    case 'detections': {
      const service = vision(attributes.detector_name ?? '');
      return (frame, signal) => drawDetections(frame, attributes, service, signal);
    }
    case 'classifications': {
      const service = vision(attributes.classifier_name ?? '');
      return (frame, signal) => writeClassifications(frame, attributes, service, signal);
    }
  }
}

async function crop(frame: Frame, attributes: StepAttributes): Promise<Frame> {
  const size = await frame.pixels();
  const region = croppedRegion(attributes, size);
  if (region === undefined) {
    const { x_min_px: x = 0, y_min_px: y = 0, x_max_px: right = 0, y_max_px: bottom = 0 } = attributes;
    const box = `${x}, ${y} to ${right}, ${bottom}`;
    throw new Error(`nothing of the picture, which is ${size.width} × ${size.height}, is in the box ${box}`);
  }
  if (attributes.overlay_crop_box !== true) return frame.changed((picture) => picture.extract(region));
  return overlaid(frame, boxesSvg(size, [{ label: 'crop', region }]));
}

async function drawDetections(
  frame: Frame,
  attributes: StepAttributes,
  service: Vision,
  signal: AbortSignal | undefined,
): Promise<Frame> {
  const size = await frame.pixels();
  const { bytes, mimeType } = await frame.encoded();
  const found = await service.detections(bytes, mimeType, size.width, size.height, { signal });
  const boxes = wanted(found, attributes).flatMap((detection) => {
    const region = regionOf(detection, size);
    return region === undefined ? [] : [{ label: labelOf(detection), region }];
  });
  return boxes.length === 0 ? frame : overlaid(frame, boxesSvg(size, boxes));
}

async function writeClassifications(
  frame: Frame,
  attributes: StepAttributes,
  service: Vision,
  signal: AbortSignal | undefined,
): Promise<Frame> {
  const size = await frame.pixels();
  const { bytes, mimeType } = await frame.encoded();
  const most = attributes.max_classifications || DEFAULT_MOST_CLASSIFICATIONS;
  const found = await service.classifications(bytes, mimeType, most, size.width, size.height, { signal });
  const lines = wanted(found, attributes).map(labelOf);
  return lines.length === 0 ? frame : overlaid(frame, linesSvg(size, lines));
}

function overlaid(frame: Frame, svg: string): Promise<Frame> {
  return frame.changed((picture) => picture.composite([{ input: Buffer.from(svg) }]));
}

interface Labelled {
  readonly label: string;
  readonly confidence: number;
}

function wanted<T extends Labelled>(found: readonly T[], attributes: StepAttributes): readonly T[] {
  const { confidence_threshold: least = 0, valid_labels: valid = [] } = attributes;
  const labels = new Set(valid.map((label) => label.toLowerCase()));
  return found.filter(
    ({ label, confidence }) => confidence >= least && (labels.size === 0 || labels.has(label.toLowerCase())),
  );
}

function labelOf({ label, confidence }: Labelled): string {
  return `${label}: ${confidence.toFixed(2)}`;
}

/** The part of a detection that lies within the picture; undefined if there is none. */
function regionOf({ pixels, shares }: Detection, { width, height }: PictureSize): Region | undefined {
  const box = pixels ?? shares;
  if (box === undefined) return undefined;
  const [across, down] = pixels === undefined ? [width, height] : [1, 1];
  const inside = (side: number, most: number): number => Math.round(Math.min(Math.max(side, 0), most));
  const [left, right] = [inside(box.xMin * across, width), inside(box.xMax * across, width)];
  const [top, bottom] = [inside(box.yMin * down, height), inside(box.yMax * down, height)];
  // The comparison is false if a side is not a number.
  return right > left && bottom > top ? { left, top, width: right - left, height: bottom - top } : undefined;
}
