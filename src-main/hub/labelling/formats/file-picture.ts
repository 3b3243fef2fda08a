import { ArmatureError } from '../../../base/errors.ts';

/** A box in a picture. Edges are fractions of width and height. */
export interface FileBox {
  readonly label: string;
  readonly left: number;
  readonly top: number;
  readonly right: number;
  readonly bottom: number;
}

/** A picture with its labels, as dataset files describe it. */
export interface FilePicture {
  /** File name, without a folder. */
  readonly file: string;
  /** Pixels. */
  readonly width: number;
  readonly height: number;
  readonly boxes: readonly FileBox[];
  readonly tags: readonly string[];
}

/** The labels of a picture in a file; the size is in the picture itself. */
export type FileLabels = Omit<FilePicture, 'width' | 'height'>;

/** An edge that is outside of the picture by less than this was rounded, and is moved to the border. */
const ROUNDING = 1e-3;

/** @param place the file and the place in it: `labels/a.txt, line 3` */
export function badFile(place: string, problem: string): ArmatureError {
  return new ArmatureError('call.bad_argument', `${place}: ${problem}`, { details: { place } });
}

/** Checks a box. @throws {ArmatureError} `call.bad_argument` if it is not inside the picture, or has no area */
export function fileBox(place: string, box: FileBox): FileBox {
  if (box.label === '') throw badFile(place, 'the box has no label. Name what it shows.');
  const edges = [box.left, box.top, box.right, box.bottom];
  for (const edge of edges) {
    if (edge >= -ROUNDING && edge <= 1 + ROUNDING) continue;
    throw badFile(place, `an edge of the box "${box.label}" is at ${edge} of the picture; allowed is 0 to 1.`);
  }
  const [left = 0, top = 0, right = 0, bottom = 0] = edges.map((edge) => Math.min(1, Math.max(0, edge)));
  if (left >= right || top >= bottom) {
    throw badFile(place, `the box "${box.label}" has no area: from (${left}, ${top}) to (${right}, ${bottom}).`);
  }
  return { label: box.label, left, top, right, bottom };
}

/** The file name of a path. Its folders are ignored, so that the result is never a path. */
export function pictureName(place: string, path: string): string {
  const name = path.split(/[/\\]/).at(-1) ?? '';
  if (name === '' || name === '.' || name === '..') throw badFile(place, `"${path}" names no picture.`);
  return name;
}

/** All labels of boxes, sorted. */
export function boxLabels(pictures: readonly Pick<FilePicture, 'boxes'>[]): string[] {
  return [...new Set(pictures.flatMap(({ boxes }) => boxes.map(({ label }) => label)))].sort();
}
