import { multipartPictures } from './multipart.ts';
import { MAX_PICTURE_BYTES } from '../picture-size.ts';
import { spawnFfmpeg, type FfmpegProcess } from './spawn-ffmpeg.ts';

/** How much of ffmpeg's error output is kept. */
const MAX_COMPLAINT_CHARACTERS = 500;

/** Arguments that make ffmpeg quiet and non-interactive. */
export const quietly = ['-hide_banner', '-nostdin', '-loglevel', 'error'] as const;
export const toPipe = ['-f', 'mpjpeg', 'pipe:1'] as const;
/** JPEG quality, 1 to 31 in ffmpeg: hardly distinguishable from the original. */
export const asJpeg = ['-c:v', 'mjpeg', '-q:v', '3'] as const;

/** A running ffmpeg, and the pictures that it outputs. */
export class FfmpegRun {
  /** Settles when it has ended, with its exit code; null if it was killed. */
  readonly ended: Promise<number | null>;
  readonly #child: FfmpegProcess;
  readonly #pictures: AsyncGenerator<Buffer>;
  #complaint = '';

  /**
   * @param args what it does; it writes with {@link toPipe}
   * @throws {Error} as `spawnFfmpeg` does
   */
  static async start(args: readonly string[], program?: string): Promise<FfmpegRun> {
    return new FfmpegRun(await spawnFfmpeg(args, program));
  }

  private constructor(child: FfmpegProcess) {
    this.#child = child;
    this.#pictures = multipartPictures(child.stdout, MAX_PICTURE_BYTES);
    this.ended = new Promise((resolve) => child.once('close', resolve));
    child.on('error', ({ message }) => (this.#complaint = message));
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      this.#complaint = (this.#complaint + text).slice(-MAX_COMPLAINT_CHARACTERS);
    });
  }

  /**
   * The next picture, a JPEG; undefined if there are no more. Not called again before it has settled.
   * @throws {Error} if the output is not a picture, or too large
   */
  async next(): Promise<Buffer | undefined> {
    const next = await this.#pictures.next();
    return next.done === true ? undefined : next.value;
  }

  /** Why there are no more pictures, once it has ended; undefined if it succeeded. */
  async failure(): Promise<string | undefined> {
    return (await this.ended) === 0 ? undefined : this.lastWords();
  }

  /** Its last error message, or how it ended. */
  async lastWords(): Promise<string> {
    const code = await this.ended;
    const said = this.#complaint.trim().split('\n').at(-1) ?? '';
    if (said !== '') return `ffmpeg says "${said}"`;
    return code === null ? `ffmpeg ended by ${this.#child.signalCode ?? 'a signal'}` : `ffmpeg ended with code ${code}`;
  }

  /** It cannot refuse, but a hanging drive or driver may delay it. */
  kill(): void {
    this.#child.kill('SIGKILL');
  }
}
