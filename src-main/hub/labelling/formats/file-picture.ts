import { ArmatureError } from '../../../base/errors.ts';

/** Edges as fractions of width and height. */
export interface FileBox {
  readonly label: string;
  readonly left: number;
  readonly top: number;
  readonly right: number;
  readonly bottom: number;
}

/** A picture with its labels, as files of datasets tell of it. */
export interface FilePicture {
  /** Its name among the pictures, without a folder. */
  readonly file: string;
  /** Pixels. */
  readonly width: number;
  readonly height: number;
  readonly boxes: readonly FileBox[];
  readonly tags: readonly string[];
}

/** What a file says of a picture; its size is in the picture itself. */
export type FileLabels = Omit<FilePicture, 'width' | 'height'>;

/** Beyond the edge by less than this is how a number was rounded, and is cut. */
const ROUNDED = 1e-3;

/** @param place the file, and where in it: `labels/a.txt, line 3` */
export function badFile(place: string, problem: string): ArmatureError {
  return new ArmatureError('call.bad_argument', `${place}: ${problem}`, { details: { place } });
}

/** A box of a file. @throws {ArmatureError} `call.bad_argument` for one that is not in the picture, or has no area */
export function fileBox(place: string, box: FileBox): FileBox {
  if (box.label === '') throw badFile(place, 'the box has no label. Name what it shows.');
  const edges = [box.left, box.top, box.right, box.bottom];
  for (const edge of edges) {
    if (edge >= -ROUNDED && edge <= 1 + ROUNDED) continue;
    throw badFile(place, `an edge of the box "${box.label}" is at ${edge} of the picture; allowed is 0 to 1.`);
  }
  const [left = 0, top = 0, right = 0, bottom = 0] = edges.map((edge) => Math.min(1, Math.max(0, edge)));
  if (left >= right || top >= bottom) {
    throw badFile(place, `the box "${box.label}" has no area: from (${left}, ${top}) to (${right}, ${bottom}).`);
  }
  return { label: box.label, left, top, right, bottom };
}

/** The name of a picture, whatever folder a file says before it: it is never a path here. */
export function pictureName(place: string, path: string): string {
  const name = path.split(/[/\\]/).at(-1) ?? '';
  if (name === '' || name === '.' || name === '..') throw badFile(place, `"${path}" names no picture.`);
  return name;
}

/** All labels of boxes, in order. */
export function boxLabels(pictures: readonly Pick<FilePicture, 'boxes'>[]): string[] {
  return [...new Set(pictures.flatMap(({ boxes }) => boxes.map(({ label }) => label)))].sort();
}
