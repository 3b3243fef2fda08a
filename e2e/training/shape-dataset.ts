import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { draw } from '../../src-main/machine/models/camera-fake/draw.ts';
import { scene, type Shape } from '../../src-main/machine/models/camera-fake/scene.ts';

export interface ShapeDatasetOptions {
  readonly pictures: number;
  /** Pictures of one kind of shape each, both kinds equally often; otherwise any mixture. */
  readonly isSingleKind: boolean;
  /** Of the first picture: datasets whose seeds are far apart have no picture in common. */
  readonly seed: number;
}

const SIZE = { width: 640, height: 480 };

/**
 * Writes pictures as the fake camera has them, with their classes and boxes, as training scripts are given them.
 * @returns path of the dataset file
 */
export async function writeShapeDataset(
  folder: string,
  { pictures, isSingleKind, seed: firstSeed }: ShapeDatasetOptions,
): Promise<string> {
  mkdirSync(folder, { recursive: true });
  const lines: string[] = [];
  const ofKind = { rectangle: 0, circle: 0 };
  for (let seed = firstSeed; lines.length < pictures; seed++) {
    const shapes = scene({ ...SIZE, shapes: 1 + (seed % (isSingleKind ? 3 : 4)), seed }, seed * 977);
    const kinds = [...new Set(shapes.map(({ kind }) => kind))];
    const [first] = kinds;
    if (first === undefined) continue;
    if (isSingleKind) {
      if (kinds.length > 1 || ofKind[first] >= pictures / 2) continue;
      ofKind[first]++;
    }
    const image_path = `picture-${lines.length}.jpg`;
    writeFileSync(path.join(folder, image_path), await draw(SIZE, shapes, 'jpeg'));
    lines.push(
      JSON.stringify({
        image_path,
        classification_annotations: kinds.map((annotation_label) => ({ annotation_label })),
        bounding_box_annotations: shapes.map(boxOf),
      }),
    );
  }
  const file = path.join(folder, 'dataset.jsonl');
  writeFileSync(file, `${lines.join('\n')}\n`);
  return file;
}

function boxOf({ kind, left, top, width, height }: Shape): object {
  return {
    annotation_label: kind,
    x_min_normalized: left / SIZE.width,
    y_min_normalized: top / SIZE.height,
    x_max_normalized: (left + width) / SIZE.width,
    y_max_normalized: (top + height) / SIZE.height,
  };
}
