import { draw } from './draw.ts';
import { scene, type SceneSettings, type Shape } from './scene.ts';
import {
  DEFAULT_FRAME_RATE,
  DEFAULT_HEIGHT,
  DEFAULT_SHAPES,
  DEFAULT_WIDTH,
  type FakeCameraAttributes,
} from './schema.ts';
import type { BuildContext, BuiltResource } from '../../catalog/model.ts';
import { requireSources, type Camera, type CameraImages, type CameraProperties } from '../../../apis/camera.ts';
import type { JsonObject } from '../../../apis/resource.ts';
import type { Clock } from '../../../base/clock.ts';
import { ArmatureError } from '../../../base/errors.ts';

const SOURCE = 'color';

/** One picture: its shapes and its bytes, created once for all callers. */
interface Frame {
  readonly at: number;
  readonly shapes: readonly Shape[];
  readonly bytes: Promise<Uint8Array>;
}

/** Camera model `fake`: shapes that move over a background. Their positions depend on the wall-clock time. */
class FakeCamera implements Camera, BuiltResource {
  readonly name: string;
  readonly #settings: SceneSettings;
  readonly #format: 'jpeg' | 'png';
  readonly #frameRate: number;
  readonly #isAnimated: boolean;
  readonly #clock: Clock;
  #frame: Frame | undefined;

  constructor(name: string, attributes: FakeCameraAttributes, clock: Clock) {
    const { width = DEFAULT_WIDTH, height = DEFAULT_HEIGHT, shapes = DEFAULT_SHAPES, seed = 0 } = attributes;
    this.name = name;
    this.#settings = { width, height, shapes, seed };
    this.#format = attributes.format ?? 'jpeg';
    this.#frameRate = attributes.frame_rate ?? DEFAULT_FRAME_RATE;
    this.#isAnimated = attributes.animated ?? true;
    this.#clock = clock;
  }

  async images(sourceNames: readonly string[]): Promise<CameraImages> {
    requireSources(this, sourceNames, [SOURCE]);
    const { at, bytes } = this.#takeFrame();
    const image = { sourceName: SOURCE, mimeType: this.#mimeType, bytes: await bytes };
    return { images: [image], capturedAt: new Date(at) };
  }

  properties(): Promise<CameraProperties> {
    return Promise.resolve({
      isPointCloudSupported: false,
      mimeTypes: [this.#mimeType],
      frameRate: this.#frameRate,
    });
  }

  /**
   * `{"truth": true}`: the boxes of the shapes in the last requested picture, as shares of its width and height, like
   * the labels of datasets.
   */
  async doCommand(command: JsonObject): Promise<JsonObject> {
    if (command['truth'] !== true) {
      throw new ArmatureError('call.bad_argument', `Camera "${this.name}" knows the command {"truth": true}.`);
    }
    if (this.#frame === undefined) {
      throw new ArmatureError(
        'call.failed_precondition',
        `Camera "${this.name}" has taken no picture yet: call GetImages first.`,
      );
    }
    const { at, shapes } = this.#frame;
    return { captured_at: new Date(at).toISOString(), boxes: shapes.map((shape) => this.#boxOf(shape)) };
  }

  async close(): Promise<void> {
    // It holds nothing.
  }

  get #mimeType(): string {
    return `image/${this.#format}`;
  }

  #takeFrame(): Frame {
    const everyMs = 1_000 / this.#frameRate;
    const at = Math.floor(this.#clock.now() / everyMs) * everyMs;
    if (this.#frame?.at !== at) this.#frame = this.#isAnimated ? this.#drawn(at, at) : this.#still(at);
    return this.#frame;
  }

  #still(at: number): Frame {
    return this.#frame === undefined ? this.#drawn(at, 0) : { ...this.#frame, at };
  }

  #drawn(at: number, sceneMs: number): Frame {
    const shapes = scene(this.#settings, sceneMs);
    const bytes = draw(this.#settings, shapes, this.#format);
    // The callers get the error; the next call tries again.
    bytes.catch(() => (this.#frame = undefined));
    return { at, shapes, bytes };
  }

  #boxOf({ kind, color, left, top, width, height }: Shape): JsonObject {
    const { width: ofWidth, height: ofHeight } = this.#settings;
    return {
      label: kind,
      color,
      x_min_normalized: left / ofWidth,
      y_min_normalized: top / ofHeight,
      x_max_normalized: (left + width) / ofWidth,
      y_max_normalized: (top + height) / ofHeight,
    };
  }
}

export async function build({ name, attributes, clock }: BuildContext<JsonObject>): Promise<BuiltResource> {
  return new FakeCamera(name, attributes, clock);
}
