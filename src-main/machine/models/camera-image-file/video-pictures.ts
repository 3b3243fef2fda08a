import { stat } from 'node:fs/promises';
import { unreadable, type Picture } from './picture.ts';
import type { PictureSource } from './picture-source.ts';
import { asJpeg, FfmpegRun, quietly, toPipe } from '../ffmpeg/ffmpeg-run.ts';
import { ArmatureError } from '../../../base/errors.ts';

export interface VideoOptions {
  /** Full path of the video. */
  readonly path: string;
  /** Pictures per second of video. */
  readonly frameRate: number;
  /** Whether it starts again after its end. */
  readonly loops: boolean;
  /** Name or path of ffmpeg. */
  readonly program?: string;
}

/** A running ffmpeg that reads the video. */
interface Reading {
  readonly run: FfmpegRun;
  /** How many pictures it has output. */
  count: number;
}

/**
 * Pictures of a video, decoded by ffmpeg. It decodes only as far as pictures are requested, because otherwise its pipe
 * is full.
 */
export class VideoPictures implements PictureSource {
  readonly #options: VideoOptions;
  #closing = new AbortController();
  #reading: Reading | undefined;
  #isOver = false;

  constructor(options: VideoOptions) {
    this.#options = options;
  }

  async next(): Promise<Picture | undefined> {
    if (this.#isOver) return undefined;
    const reading = this.#reading ?? (await this.#start(this.#closing.signal));
    const bytes = await this.#read(reading);
    if (bytes !== undefined) {
      reading.count += 1;
      return { mimeType: 'image/jpeg', bytes };
    }
    await this.#checkEnd(reading);
    this.#isOver = !this.#options.loops;
    return this.next();
  }

  /** Does not wait until ffmpeg has ended, because a hanging drive may block it. */
  async close(): Promise<void> {
    this.#closing.abort(new ArmatureError('resource.not_ready', `${this.#options.path} is no longer read.`));
    this.#closing = new AbortController();
    this.#reading?.run.kill();
    this.#reading = undefined;
    this.#isOver = false;
  }

  async #start(signal: AbortSignal): Promise<Reading> {
    const { path, program } = this.#options;
    // ffmpeg would wait forever for a pipe that nobody writes to. A missing file it reports clearly itself.
    const found = await stat(path).catch(() => undefined);
    if (found?.isFile() === false) throw unreadable(path, 'it is no file');
    const run = await FfmpegRun.start(this.#arguments(), program).catch((thrown: unknown) => {
      throw this.#unreadable(thrown);
    });
    if (signal.aborted) {
      run.kill();
      throw signal.reason;
    }
    this.#reading = { run, count: 0 };
    return this.#reading;
  }

  #arguments(): string[] {
    const { path, frameRate } = this.#options;
    return [
      ...quietly,
      // A file that refers to others, such as a playlist, may only refer to files.
      ...['-protocol_whitelist', 'file', '-i', `file:${path}`],
      ...['-an', '-sn', '-dn', '-vf', `fps=${frameRate}`],
      ...asJpeg,
      ...toPipe,
    ];
  }

  /** The next picture. Undefined if there are no more, or if this reading is no longer the current one. */
  async #read(reading: Reading): Promise<Buffer | undefined> {
    try {
      const bytes = await reading.run.next();
      if (bytes !== undefined) return bytes;
    } catch (thrown) {
      await this.close();
      throw this.#unreadable(thrown);
    }
    if (this.#reading === reading) this.#reading = undefined;
    return undefined;
  }

  /** Throws if ffmpeg ended for any other reason than the end of the video. */
  async #checkEnd({ run, count }: Reading): Promise<void> {
    const failure = await run.failure();
    if (failure !== undefined) throw unreadable(this.#options.path, failure);
    if (count === 0) throw unreadable(this.#options.path, 'ffmpeg finds no picture in it');
  }

  #unreadable(thrown: unknown): ArmatureError {
    return unreadable(this.#options.path, thrown instanceof Error ? thrown.message : String(thrown), thrown);
  }
}
