import { draw } from '../../src-main/machine/models/camera-fake/draw.ts';
import { scene, type Shape } from '../../src-main/machine/models/camera-fake/scene.ts';
import type { LabelledBox } from './agreement.ts';

export interface ShapePicturesOptions {
  readonly pictures: number;
  /** Pictures with one kind of shape each, both kinds equally often; otherwise any mixture. */
  readonly isSingleKind: boolean;
}

/** A picture of a fake camera with its contents. */
export interface ShapePicture {
  readonly jpeg: Uint8Array;
  readonly kinds: readonly string[];
  readonly shapes: readonly Shape[];
}

/** Pixels of each picture. */
export const SIZE = { width: 640, height: 480 };

/** The box of a shape. */
export function boxOf({ kind, left, top, width, height }: Shape): LabelledBox {
  return {
    label: kind,
    ...{ xMin: left / SIZE.width, xMax: (left + width) / SIZE.width },
    ...{ yMin: top / SIZE.height, yMax: (top + height) / SIZE.height },
  };
}

/** Pictures of fake cameras, each different. */
export async function* shapePictures({ pictures, isSingleKind }: ShapePicturesOptions): AsyncGenerator<ShapePicture> {
  const ofKind = { rectangle: 0, circle: 0 };
  for (let seed = 0, made = 0; made < pictures; seed++) {
    const shapes = scene({ ...SIZE, shapes: 1 + (seed % (isSingleKind ? 3 : 4)), seed }, seed * 977);
    const kinds = [...new Set(shapes.map(({ kind }) => kind))];
    const [first] = kinds;
    if (first === undefined) continue;
    if (isSingleKind && (kinds.length > 1 || ofKind[first] >= pictures / 2)) continue;
    ofKind[first]++;
    made++;
    yield { jpeg: await draw(SIZE, shapes, 'jpeg'), kinds, shapes };
  }
}
