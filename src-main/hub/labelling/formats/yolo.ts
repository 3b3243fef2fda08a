import { parseDocument, stringify } from 'yaml';
import { badFile, boxLabels, fileBox, type FileBox, type FilePicture } from './file-picture.ts';

/** The settings file, and the folders of pictures and labels. */
export const YOLO_SETTINGS = 'data.yaml';
export const YOLO_PICTURES = 'images';
export const YOLO_LABELS = 'labels';

/** The content of `data.yaml`: the names of the classes by their numbers. */
export function yoloSettings(labels: readonly string[]): string {
  const names = Object.fromEntries(labels.map((label, index) => [index, label]));
  return stringify({ path: '.', train: YOLO_PICTURES, val: YOLO_PICTURES, names });
}

/** All classes of some pictures, in the order of their numbers. */
export const yoloLabels = boxLabels;

/**
 * The label file of one picture: a line for each box with class, center and size. YOLO has no labels for whole
 * pictures.
 */
export function yoloText({ boxes }: Pick<FilePicture, 'boxes'>, labels: readonly string[]): string {
  return boxes
    .map(({ label, left, top, right, bottom }) => {
      const numbers = [(left + right) / 2, (top + bottom) / 2, right - left, bottom - top];
      return `${labels.indexOf(label)} ${numbers.join(' ')}\n`;
    })
    .join('');
}

/**
 * Reads the names of the classes by their numbers, from a list or a map.
 * @throws {ArmatureError} `call.bad_argument`
 */
export function readYoloSettings(file: string, text: string): ReadonlyMap<number, string> {
  const document = parseDocument(text);
  const [mistake] = document.errors;
  if (mistake !== undefined) throw badFile(`${file}, line ${mistake.linePos?.[0].line ?? 1}`, mistake.message);
  const { names } = (document.toJS() ?? {}) as { names?: unknown };
  if (typeof names !== 'object' || names === null) {
    throw badFile(file, '"names" is missing: a list of the classes, or a map from their numbers.');
  }
  return new Map(
    Object.entries(names).map(([number, name]) => {
      if (!/^\d+$/.test(number)) throw badFile(file, `"names" has the key "${number}"; a number is wanted.`);
      return [Number(number), String(name)];
    }),
  );
}

/** Reads the boxes of one picture. @throws {ArmatureError} `call.bad_argument` with file and line */
export function readYoloText(file: string, text: string, names: ReadonlyMap<number, string>): FileBox[] {
  return text.split('\n').flatMap((line, index) => {
    const place = `${file}, line ${index + 1}`;
    const words = line.trim().split(/\s+/);
    if (words.length === 1 && words[0] === '') return [];
    if (words.length < 5) throw badFile(place, `found ${words.length} numbers; a class and four numbers are wanted.`);
    const [number = NaN, x = NaN, y = NaN, width = NaN, height = NaN] = words.map(Number);
    if (![number, x, y, width, height].every(Number.isFinite)) throw badFile(place, `"${line.trim()}" is no box.`);
    const label = names.get(number);
    if (label === undefined) throw badFile(place, `the class ${number} has no name in ${YOLO_SETTINGS}.`);
    const edges = { left: x - width / 2, top: y - height / 2, right: x + width / 2, bottom: y + height / 2 };
    return [fileBox(place, { label, ...edges })];
  });
}
