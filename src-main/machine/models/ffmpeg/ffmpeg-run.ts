import { multipartPictures } from './multipart.ts';
import { MAX_PICTURE_BYTES } from '../picture-size.ts';
import { spawnFfmpeg, type FfmpegProcess } from './spawn-ffmpeg.ts';

/** Of what ffmpeg complains about so much is kept. */
const MAX_COMPLAINT_CHARACTERS = 500;

/** Arguments by which ffmpeg is quiet, asks nobody, and writes JPEGs to the pipe that a run reads. */
export const quietly = ['-hide_banner', '-nostdin', '-loglevel', 'error'] as const;
export const toPipe = ['-f', 'mpjpeg', 'pipe:1'] as const;
/** Of ffmpeg, from 1 to 31: hardly to be told from what was encoded. */
export const asJpeg = ['-c:v', 'mjpeg', '-q:v', '3'] as const;

/** An ffmpeg that runs, and the pictures that it gives. */
export class FfmpegRun {
  /** Settles when it is gone, with its exit code; null for one that was killed. */
  readonly ended: Promise<number | null>;
  readonly #child: FfmpegProcess;
  readonly #pictures: AsyncGenerator<Buffer>;
  #complaint = '';

  /**
   * @param args what it is to do; it writes by {@link toPipe}
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
   * The next picture, a JPEG; undefined where it gives no more. Not called again before it has settled.
   * @throws {Error} where what comes is no picture, or a larger one
   */
  async next(): Promise<Buffer | undefined> {
    const next = await this.#pictures.next();
    return next.done === true ? undefined : next.value;
  }

  /** Why it gives no more, once it has ended; undefined where all went well. */
  async failure(): Promise<string | undefined> {
    return (await this.ended) === 0 ? undefined : this.lastWords();
  }

  /** What it complained about last, or how it ended. */
  async lastWords(): Promise<string> {
    const code = await this.ended;
    const said = this.#complaint.trim().split('\n').at(-1) ?? '';
    if (said !== '') return `ffmpeg says "${said}"`;
    return code === null ? `ffmpeg ended by ${this.#child.signalCode ?? 'a signal'}` : `ffmpeg ended with code ${code}`;
  }

  /** It cannot refuse, but a drive or a driver that hangs holds it. */
  kill(): void {
    this.#child.kill('SIGKILL');
  }
}
