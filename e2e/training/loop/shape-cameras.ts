import { draw } from '../../../src-main/machine/models/camera-fake/draw.ts';
import {
  scene,
  type SceneSettings,
  type Shape,
  type ShapeKind,
} from '../../../src-main/machine/models/camera-fake/scene.ts';
import { SIZE } from '../shape-pictures.ts';

/** The shapes that the cameras see, in the order in which a test labels them. */
export const KINDS: readonly ShapeKind[] = ['rectangle', 'circle'];

/** A fake camera that sees shapes. */
export interface ShapeCamera {
  readonly name: string;
  readonly settings: SceneSettings;
  /** False for one whose picture never changes. */
  readonly isAnimated: boolean;
}

export interface ShapeCamerasOptions {
  /** Their names are this and a number, from 1. */
  readonly name: string;
  readonly count: number;
  /** Shapes of only one kind in front of each camera, both kinds equally often; otherwise any mixture. */
  readonly isSingleKind: boolean;
  /** A different seed gives different shapes. */
  readonly firstSeed: number;
}

/** Cameras that see one to three shapes each. */
export function shapeCameras(options: ShapeCamerasOptions): readonly ShapeCamera[] {
  const { name, count, isSingleKind, firstSeed } = options;
  const cameras: ShapeCamera[] = [];
  for (let seed = firstSeed; cameras.length < count; seed++) {
    const index = cameras.length;
    const settings = { ...SIZE, shapes: 1 + (Math.floor(index / 2) % 3), seed };
    const kinds = new Set(scene(settings, 0).map(({ kind }) => kind));
    const wanted = KINDS[index % KINDS.length];
    if (isSingleKind && (kinds.size > 1 || wanted === undefined || !kinds.has(wanted))) continue;
    cameras.push({ name: `${name}-${index + 1}`, settings, isAnimated: true });
  }
  return cameras;
}

export interface CapturingOptions {
  /** Those whose pictures are captured, one per second. */
  readonly captured: readonly ShapeCamera[];
  readonly others: readonly ShapeCamera[];
  readonly isCapturing: boolean;
}

/** Text of the configuration of a machine with cameras. */
export function capturingCameras({ captured, others, isCapturing }: CapturingOptions): string {
  const capture = { capture_methods: [{ method: 'GetImages', capture_frequency_hz: 1 }] };
  const component = ({ name, settings, isAnimated }: ShapeCamera): object => ({
    ...{ name, api: 'core:component:camera', model: 'fake' },
    attributes: { ...settings, frame_rate: FRAMES_PER_SECOND, animated: isAnimated },
  });
  const data = { sync_interval_mins: 0.01, capture_disabled: !isCapturing };
  return JSON.stringify({
    network: { bind_address: 'localhost:0' },
    components: [
      ...captured.map((camera) => ({
        ...component(camera),
        service_configs: [{ type: 'data_manager', attributes: capture }],
      })),
      ...others.map(component),
    ],
    services: [{ name: 'data', api: 'core:service:data_manager', model: 'builtin', attributes: data }],
  });
}

const FRAMES_PER_SECOND = 2;
const FRAME_MS = 1_000 / FRAMES_PER_SECOND;

/**
 * The contents of a picture of a camera, found by drawing the picture again: no other source is certain.
 * @param from the picture was taken between this time and `until`, wall-clock ms
 * @throws where the camera made no such picture in that time
 */
export async function shapesIn(
  { name, settings, isAnimated }: ShapeCamera,
  jpeg: Uint8Array,
  from: number,
  until: number,
): Promise<readonly Shape[]> {
  for (let at = Math.floor(from / FRAME_MS) * FRAME_MS; at <= until; at += FRAME_MS) {
    const shapes = scene(settings, isAnimated ? at : 0);
    if (Buffer.compare(await draw(settings, shapes, 'jpeg'), jpeg) === 0) return shapes;
  }
  throw new Error(`the camera ${name} made no such picture from ${from} to ${until}`);
}
