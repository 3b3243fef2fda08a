import { spawn, type ChildProcessByStdio } from 'node:child_process';
import { once } from 'node:events';
import { stat } from 'node:fs/promises';
import type { Readable } from 'node:stream';
import { multipartPictures } from './multipart.ts';
import { MOST_PICTURE_BYTES, unreadable, type Picture } from './picture.ts';
import type { PictureSource } from './picture-source.ts';
import { ArmatureError, codeOf } from '../../../base/errors.ts';

/** Of what ffmpeg complains about so much is kept. */
const MOST_COMPLAINT_CHARACTERS = 500;
/** Of ffmpeg, from 1 to 31: hardly to be told from the video. */
const JPEG_QUALITY = '3';

export interface VideoOptions {
  /** Whole path of the video. */
  readonly path: string;
  /** Pictures of a second of video. */
  readonly frameRate: number;
  /** Whether it begins again at its end. */
  readonly loops: boolean;
  /** Name or path of ffmpeg. */
  readonly program?: string;
}

/** An ffmpeg that runs, and what comes of it. */
interface Run {
  readonly child: ChildProcessByStdio<null, Readable, Readable>;
  readonly pictures: AsyncGenerator<Buffer>;
  /** Settles when it is gone, with its exit code; null for one that was killed. */
  readonly ended: Promise<number | null>;
  /** What it complained about so far. */
  complaint: string;
  /** How many pictures it gave. */
  count: number;
}

/** Pictures of a video, by ffmpeg. It decodes no further than somebody asks, because its pipe is full by then. */
export class VideoPictures implements PictureSource {
  readonly #options: VideoOptions;
  #closing = new AbortController();
  #run: Run | undefined;
  #isOver = false;

  constructor(options: VideoOptions) {
    this.#options = options;
  }

  async next(): Promise<Picture | undefined> {
    if (this.#isOver) return undefined;
    const run = this.#run ?? (await this.#start(this.#closing.signal));
    const bytes = await this.#read(run);
    if (bytes !== undefined) {
      run.count += 1;
      return { mimeType: 'image/jpeg', bytes };
    }
    await this.#checkEnd(run);
    this.#isOver = !this.#options.loops;
    return this.next();
  }

  /** Does not wait until ffmpeg is gone: it cannot refuse, but a drive that hangs holds it. */
  async close(): Promise<void> {
    this.#closing.abort(new ArmatureError('resource.not_ready', `${this.#options.path} is read no more.`));
    this.#closing = new AbortController();
    this.#run?.child.kill('SIGKILL');
    this.#run = undefined;
    this.#isOver = false;
  }

  async #start(signal: AbortSignal): Promise<Run> {
    const { path, program = 'ffmpeg' } = this.#options;
    // ffmpeg would wait for a pipe that nobody writes to. That there is no such file it says well enough itself.
    const found = await stat(path).catch(() => undefined);
    if (found?.isFile() === false) throw unreadable(path, 'it is no file');
    signal.throwIfAborted();
    const child = spawn(program, this.#arguments(), { stdio: ['ignore', 'pipe', 'pipe'], windowsHide: true });
    const run: Run = {
      child,
      pictures: multipartPictures(child.stdout, MOST_PICTURE_BYTES),
      ended: new Promise((resolve) => child.once('close', resolve)),
      complaint: '',
      count: 0,
    };
    child.on('error', ({ message }) => (run.complaint = message));
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      run.complaint = (run.complaint + text).slice(-MOST_COMPLAINT_CHARACTERS);
    });
    this.#run = run;
    try {
      await once(child, 'spawn');
    } catch (thrown) {
      this.#run = undefined;
      throw unreadable(path, notStarted(program, thrown), thrown);
    }
    return run;
  }

  #arguments(): string[] {
    const { path, frameRate } = this.#options;
    return [
      ...['-hide_banner', '-nostdin', '-loglevel', 'error'],
      // A file that names others, as a playlist does, leads nowhere but to files.
      ...['-protocol_whitelist', 'file', '-i', `file:${path}`],
      ...['-an', '-sn', '-dn', '-vf', `fps=${frameRate}`],
      ...['-c:v', 'mjpeg', '-q:v', JPEG_QUALITY, '-f', 'mpjpeg', 'pipe:1'],
    ];
  }

  /** The next picture of a run; undefined where it has no more, and then it is not the one under way. */
  async #read(run: Run): Promise<Buffer | undefined> {
    try {
      const next = await run.pictures.next();
      if (next.done !== true) return next.value;
    } catch (thrown) {
      await this.close();
      throw unreadable(this.#options.path, thrown instanceof Error ? thrown.message : String(thrown), thrown);
    }
    if (this.#run === run) this.#run = undefined;
    return undefined;
  }

  /** Throws where a run ended otherwise than at the end of its video. */
  async #checkEnd(run: Run): Promise<void> {
    const { path } = this.#options;
    const code = await run.ended;
    const said = run.complaint.trim().split('\n').at(-1) ?? '';
    if (code !== 0) {
      const how = code === null ? `by ${run.child.signalCode ?? 'a signal'}` : `with code ${code}`;
      throw unreadable(path, said === '' ? `ffmpeg ended ${how}` : `ffmpeg says "${said}"`);
    }
    if (run.count === 0) throw unreadable(path, 'ffmpeg finds no picture in it');
  }
}

function notStarted(program: string, thrown: unknown): string {
  if (codeOf(thrown) !== 'ENOENT') return `${program} cannot be started: ${String(thrown)}`;
  return `${program}, which reads videos, is not on this computer. Install it, on Debian by "sudo apt install ffmpeg"`;
}
