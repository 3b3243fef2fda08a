import { FilePictures, picturesIn } from './file-pictures.ts';
import type { Picture } from './picture.ts';
import type { PictureSource } from './picture-source.ts';
import { DEFAULT_FRAME_RATE, isSet, type ImageFileCameraAttributes } from './schema.ts';
import { requireProcesses } from '../ffmpeg/require-processes.ts';
import { VideoPictures } from './video-pictures.ts';
import type { BuildContext, BuiltResource } from '../../catalog/model.ts';
import { requireSources, type Camera, type CameraImages, type CameraProperties } from '../../../apis/camera.ts';
import type { CallOptions, JsonObject } from '../../../apis/resource.ts';
import { withTimeout } from '../../../base/async/timeout.ts';
import type { Clock } from '../../../base/clock.ts';
import { ArmatureError, toArmatureError } from '../../../base/errors.ts';

/** Time limit for a picture: a network drive may hang, and ffmpeg may find nothing in a long video. */
const PICTURE_TIMEOUT_MS = 10_000;

/** Pictures that were taken together, by the names of their sources. */
interface Taken {
  readonly at: Date;
  /** The number of the frame-rate interval: there is one picture in each. */
  readonly turn: number;
  readonly pictures: ReadonlyMap<string, Picture>;
}

/**
 * Camera model `image_file`: pictures from files. The next picture is read at the first request after the current one's
 * interval is over; until then all callers get the current one, with its time. If a picture cannot be read, its callers
 * get an error, never an old picture.
 */
class ImageFileCamera implements Camera, BuiltResource {
  readonly name: string;
  readonly #sources: ReadonlyMap<string, PictureSource>;
  readonly #frameRate: number;
  readonly #clock: Clock;
  #last: Taken | undefined;
  /** Shared by all callers, so that a file that hangs blocks only one thread. */
  #taking: Promise<Taken> | undefined;

  constructor(name: string, attributes: ImageFileCameraAttributes, clock: Clock) {
    this.name = name;
    this.#sources = sourcesOf(attributes);
    this.#frameRate = attributes.frame_rate ?? DEFAULT_FRAME_RATE;
    this.#clock = clock;
  }

  async images(sourceNames: readonly string[], { signal }: CallOptions = {}): Promise<CameraImages> {
    const available = [...this.#sources.keys()];
    requireSources(this, sourceNames, available);
    const { at, pictures } = await this.#present(signal);
    const images = [...pictures].map(([sourceName, picture]) => ({ sourceName, ...picture }));
    return {
      images: images.filter(({ sourceName }) => sourceNames.length === 0 || sourceNames.includes(sourceName)),
      capturedAt: at,
    };
  }

  properties(): Promise<CameraProperties> {
    return Promise.resolve({
      isPointCloudSupported: false,
      mimeTypes: ['image/jpeg', 'image/png'],
      frameRate: this.#frameRate,
    });
  }

  async close(): Promise<void> {
    await Promise.all([...this.#sources.values()].map((source) => source.close()));
  }

  async #present(signal: AbortSignal | undefined): Promise<Taken> {
    if (this.#last?.turn === this.#turn) return this.#last;
    try {
      return await withTimeout(() => this.#take(), {
        clock: this.#clock,
        ms: PICTURE_TIMEOUT_MS,
        signal,
        onTimeout: () => {
          // Also ends an ffmpeg that outputs nothing.
          void this.close();
          throw new ArmatureError('resource.timeout', `no picture came within ${PICTURE_TIMEOUT_MS / 1_000} s.`);
        },
      });
    } catch (thrown) {
      const { code, message, details } = toArmatureError(thrown);
      throw new ArmatureError(code, `Camera "${this.name}": ${message}`, { cause: thrown, details });
    }
  }

  get #turn(): number {
    return Math.floor((this.#clock.monotonic() * this.#frameRate) / 1_000);
  }

  #take(): Promise<Taken> {
    this.#taking ??= this.#next().finally(() => (this.#taking = undefined));
    return this.#taking;
  }

  async #next(): Promise<Taken> {
    const pictures = new Map<string, Picture>();
    for (const [name, source] of this.#sources) {
      const picture = await source.next();
      if (picture === undefined) {
        const message = 'all of its pictures were shown. Set "loop" to true to show them again.';
        throw new ArmatureError('call.failed_precondition', message);
      }
      pictures.set(name, picture);
    }
    this.#last = { at: new Date(this.#clock.now()), turn: this.#turn, pictures };
    return this.#last;
  }
}

function sourcesOf(attributes: ImageFileCameraAttributes): ReadonlyMap<string, PictureSource> {
  const {
    color_image_file_path: color,
    depth_image_file_path: depth,
    folder_path: folder,
    video_path: path,
    frame_rate: frameRate = DEFAULT_FRAME_RATE,
    loop: loops = true,
  } = attributes;
  const sources = new Map<string, PictureSource>();
  if (isSet(color)) sources.set('color', fileSource(color));
  else if (isSet(folder)) sources.set('color', new FilePictures(() => picturesIn(folder), loops));
  else if (isSet(path)) sources.set('color', new VideoPictures({ path, frameRate, loops }));
  if (isSet(depth)) sources.set('depth', fileSource(depth));
  return sources;
}

function fileSource(path: string): PictureSource {
  return new FilePictures(async () => [path], true);
}

export async function build(context: BuildContext<JsonObject>): Promise<BuiltResource> {
  const { name, clock } = context;
  const attributes: ImageFileCameraAttributes = context.attributes;
  if (isSet(attributes.video_path)) requireProcesses(context, '"video_path" is read by ffmpeg');
  return new ImageFileCamera(name, attributes, clock);
}
