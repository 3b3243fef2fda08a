import { constants } from 'node:fs';
import { access, stat } from 'node:fs/promises';
import path from 'node:path';
import { chooseMode, formatsIn, type DeviceFormat } from './device-formats.ts';
import { listOf, videoDevices, type VideoDevice } from './video-devices.ts';
import type { WebcamAttributes } from './schema.ts';
import { asJpeg, FfmpegRun, quietly, toPipe } from '../ffmpeg/ffmpeg-run.ts';
import { spawnFfmpeg, type FfmpegProcess } from '../ffmpeg/spawn-ffmpeg.ts';
import { onAbort } from '../../../base/async/abort.ts';
import { ArmatureError, codeOf, type ErrorCode } from '../../../base/errors.ts';

const BUSY = 'Device or resource busy';
/** Longer than any list of formats. */
const MAX_LIST_CHARACTERS = 64 * 1_024;
/** Where a device given without a folder is searched for. */
const deviceFolders = ['/dev', '/dev/v4l/by-id', '/dev/v4l/by-path'];

/** A device as described by ffmpeg. */
interface DeviceDescription {
  readonly path: string;
  readonly formats: readonly DeviceFormat[];
  /** ffmpeg's last message, if there are no formats. */
  readonly complaint: string;
  /** Whether this ffmpeg is older than `-fps_mode` (5.1). */
  readonly isOldFfmpeg: boolean;
}

/** Opens the device of a webcam. It is looked up each time, because it may have been unplugged. */
export class DeviceOpener {
  readonly #label: string;
  readonly #attributes: WebcamAttributes;
  /** Where the first camera was attached, for a configuration that names none: another one must not replace it. */
  #place: string | undefined;
  /** The last description, and its node of /dev: a device that is plugged in again gets a new node. */
  #known: { readonly node: string; readonly description: DeviceDescription } | undefined;

  /** @param label the start of error messages: `Camera "eye"` */
  constructor(label: string, attributes: WebcamAttributes) {
    this.#label = label;
    this.#attributes = attributes;
  }

  /**
   * Starts an ffmpeg that reads pictures from the device.
   * @param signal cancels it
   * @throws {ArmatureError} `hardware.*`: what is wrong, and the next step
   */
  async open(signal: AbortSignal): Promise<FfmpegRun> {
    if (process.platform !== 'linux') {
      const message = `${this.#label}: a webcam is read through Video4Linux, and this is ${process.platform}. Use it on Linux.`;
      throw new ArmatureError('hardware.unavailable', message);
    }
    const { video_path: written = '' } = this.#attributes;
    const device = written === '' ? await this.#first(signal) : await this.#named(written, signal);
    const run = await FfmpegRun.start(this.#arguments(device)).catch((thrown: unknown) => this.#noFfmpeg(thrown));
    if (signal.aborted) run.kill();
    signal.throwIfAborted();
    return run;
  }

  /** Explains why an ffmpeg outputs no more pictures. @param lastWords its last message, without a full stop */
  explain(lastWords: string): ArmatureError {
    // ffmpeg reports the cause only as text: the untranslated messages of the C library.
    if (lastWords.includes(BUSY)) return this.#busy();
    return new ArmatureError('hardware.gone', `${this.#label}: no more pictures come: ${lastWords}.`);
  }

  #busy(): ArmatureError {
    const next = 'Close the other program, or the other camera of this machine that has it';
    return new ArmatureError('hardware.busy', `${this.#label}: its device is used by another program. ${next}.`);
  }

  #arguments({ path: file, formats, isOldFfmpeg }: DeviceDescription): string[] {
    const { format, width_px: width, height_px: height, frame_rate: frameRate } = this.#attributes;
    const mode = this.#choose(file, formats, { format, width, height });
    return [
      ...quietly,
      ...['-f', 'v4l2', '-input_format', mode.name],
      ...(mode.size === undefined ? [] : ['-video_size', `${mode.size.width}x${mode.size.height}`]),
      ...(frameRate ? ['-framerate', String(frameRate)] : []),
      // Nothing is read in advance to detect a rate that is not needed.
      ...['-fpsprobesize', '0', '-i', file],
      // Pictures are not repeated or dropped to keep a rate.
      ...(isOldFfmpeg ? ['-vsync', '0'] : ['-fps_mode', 'passthrough']),
      ...(mode.name === 'mjpeg' ? ['-c:v', 'copy'] : asJpeg),
      ...['-flush_packets', '1'],
      ...toPipe,
    ];
  }

  #choose(file: string, ...asked: Parameters<typeof chooseMode>): ReturnType<typeof chooseMode> {
    try {
      return chooseMode(...asked);
    } catch (thrown) {
      const message = `${this.#label}: ${file} ${thrown instanceof Error ? thrown.message : String(thrown)}.`;
      throw new ArmatureError('hardware.invalid', `${message} Change the attribute to one of these.`, {
        cause: thrown,
      });
    }
  }

  /** The device that a configuration names. */
  async #named(written: string, signal: AbortSignal): Promise<DeviceDescription> {
    const places = written.includes('/') ? [written] : deviceFolders.map((folder) => path.join(folder, written));
    for (const file of places) {
      const state = await stat(file).catch(() => undefined);
      if (state === undefined) continue;
      if (!state.isCharacterDevice()) throw await this.#error('hardware.invalid', `${file} is no device`);
      return this.#usable(await this.#describe(file, signal));
    }
    throw await this.#error('hardware.missing', `there is no device ${places[0] ?? written}`);
  }

  /** The first camera; from then on, always the one attached in the same place. */
  async #first(signal: AbortSignal): Promise<DeviceDescription> {
    const devices = await videoDevices();
    const cameras = devices.filter(({ isCapture }) => isCapture !== false);
    const known = cameras.filter(({ place }) => place === this.#place);
    if (this.#place !== undefined && known.length === 0) {
      const words = 'the camera that it showed is not plugged in any more. Plug it in there again, or set "video_path"';
      throw await this.#error('hardware.gone', words, devices);
    }
    let first: DeviceDescription | undefined;
    for (const { path: file, place } of known.length > 0 ? known : cameras) {
      const description = await this.#describe(file, signal);
      if (description.formats.length > 0) {
        this.#place = place;
        return description;
      }
      first ??= description;
    }
    if (first !== undefined) return this.#usable(first);
    throw await this.#error('hardware.missing', 'no camera is plugged in', devices);
  }

  #usable(description: DeviceDescription): DeviceDescription | Promise<never> {
    const { path: file, formats, complaint } = description;
    if (formats.length > 0) return description;
    if (complaint.includes(BUSY)) throw this.#busy();
    return this.#rejection(
      'hardware.invalid',
      `${file} gives no pictures that can be read (ffmpeg says "${complaint}")`,
    );
  }

  async #rejection(code: ErrorCode, words: string): Promise<never> {
    throw await this.#error(code, words);
  }

  /** Asked once each time a device is plugged in, because starting ffmpeg takes a second on a small computer. */
  async #describe(file: string, signal: AbortSignal): Promise<DeviceDescription> {
    const { ino, ctimeMs } = await stat(file).catch(() => ({ ino: 0, ctimeMs: 0 }));
    const node = `${file} ${ino} ${ctimeMs}`;
    if (this.#known?.node === node) return this.#known.description;
    const description = await this.#ask(file, signal);
    if (description.formats.length > 0) this.#known = { node, description };
    return description;
  }

  async #ask(file: string, signal: AbortSignal): Promise<DeviceDescription> {
    await access(file, constants.R_OK | constants.W_OK).catch(async (thrown: unknown) => {
      if (codeOf(thrown) === 'ENOENT') throw await this.#error('hardware.gone', `${file} is gone`);
      const next = 'Add that user to the group "video": sudo usermod -aG video <user>, and start the server again';
      throw await this.#error('hardware.permission', `the user of this server may not open ${file}. ${next}`);
    });
    const args = ['-nostdin', '-f', 'v4l2', '-list_formats', 'all', '-i', file];
    const child = await spawnFfmpeg(args).catch((thrown: unknown) => this.#noFfmpeg(thrown));
    const text = await outputOf(child, signal);
    signal.throwIfAborted();
    const [, major, minor] = /^ffmpeg version n?(\d+)\.(\d+)/m.exec(text) ?? [];
    return {
      path: file,
      formats: formatsIn(text),
      complaint: text.trim().split('\n').at(-1) ?? '',
      // Nightly builds have no version number, and are new.
      isOldFfmpeg: major !== undefined && Number(major) + Number(minor) / 100 < 5.01,
    };
  }

  #noFfmpeg(thrown: unknown): never {
    const message = thrown instanceof Error ? thrown.message : String(thrown);
    throw new ArmatureError('hardware.unavailable', `${this.#label}: ${message}.`, { cause: thrown });
  }

  /** An error that lists the available cameras. */
  async #error(code: ErrorCode, words: string, devices?: readonly VideoDevice[]): Promise<ArmatureError> {
    return new ArmatureError(code, `${this.#label}: ${words}. ${listOf(devices ?? (await videoDevices()))}`);
  }
}

/** The output of a process until it ends; the signal kills it. */
async function outputOf(child: FfmpegProcess, signal: AbortSignal): Promise<string> {
  const unsubscribe = onAbort(signal, () => child.kill('SIGKILL'));
  let text = '';
  child.stdout.resume();
  child.stderr.setEncoding('utf8').on('data', (more: string) => {
    text = (text + more).slice(0, MAX_LIST_CHARACTERS);
  });
  await new Promise<void>((resolve) => {
    child.once('close', () => resolve());
    onAbort(signal, resolve);
  });
  unsubscribe();
  return text;
}
