import type { FfmpegRun } from '../ffmpeg/ffmpeg-run.ts';
import { onAbort } from '../../../base/async/abort.ts';
import { backoffDelayMs, type BackoffOptions } from '../../../base/async/backoff.ts';
import { withTimeout } from '../../../base/async/timeout.ts';
import { sleep, type Clock } from '../../../base/clock.ts';
import { ArmatureError, toArmatureError } from '../../../base/errors.ts';
import type { Logger } from '../../../base/logger.ts';
import { completeJpeg } from './complete-jpeg.ts';

/** How long after the last request the device is released: its light goes out, and other programs can use it. */
export const IDLE_MS = 10_000;
/** Time limit for ffmpeg to start, open the device and set it up, which takes seconds with some devices. */
export const FIRST_PICTURE_MS = 20_000;
/** Without a new picture for this long, or for three periods, ffmpeg or the device counts as hung. */
export const FROZEN_MS = 5_000;
/** How often these limits are checked. */
const POLL_MS = 500;
/** Time limit for a killed ffmpeg to end; until then the device is busy. A hanging driver may hold it forever. */
const GONE_MS = 2_000;
/** Similar to how often somebody plugs in a cable. */
const RETRY_BACKOFF: BackoffOptions = { firstMs: 500, maxMs: 5_000, factor: 2, jitter: 0.2 };

export interface CaptureOptions {
  /** The camera's name in errors and in the log: `Camera "eye"`. */
  readonly label: string;
  /** Time between two pictures. */
  readonly periodMs: number;
  /** Starts an ffmpeg that outputs pictures. @throws {ArmatureError} why it cannot */
  readonly open: (signal: AbortSignal) => Promise<FfmpegRun>;
  /** Explains why an ffmpeg ended, from its last output. */
  readonly explain: (lastWords: string) => ArmatureError;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** A picture and the time when it arrived. */
export interface Frame {
  readonly bytes: Uint8Array;
  readonly at: Date;
}

interface Waiter {
  resolve(frame: Frame): void;
  reject(reason: unknown): void;
}

/**
 * The newest picture of a device that delivers them continuously. Runs while there are requests ({@link IDLE_MS}). A
 * failure is retried with a growing delay; requests meanwhile fail at once with the reason.
 */
export class Capture {
  readonly #options: CaptureOptions;
  readonly #closing = new AbortController();
  readonly #waiting = new Set<Waiter>();
  #newest: (Frame & { readonly tick: number }) | undefined;
  #failure: ArmatureError | undefined;
  #failures = 0;
  #askedAt = 0;
  #running: Promise<void> | undefined;

  constructor(options: CaptureOptions) {
    this.#options = options;
  }

  /**
   * The newest picture if it is not older than one period; otherwise the next one.
   * @throws {ArmatureError} why there is none
   */
  async frame(signal?: AbortSignal): Promise<Frame> {
    signal?.throwIfAborted();
    this.#closing.signal.throwIfAborted();
    const now = this.#options.clock.monotonic();
    this.#askedAt = now;
    if (this.#newest !== undefined && now - this.#newest.tick <= this.#options.periodMs) return this.#newest;
    if (this.#failure !== undefined) throw this.#failure;
    this.#running ??= this.#run();
    return this.#next(signal);
  }

  /** Ends ffmpeg and waits until the device is free. */
  async close(): Promise<void> {
    const reason = new ArmatureError('resource.not_ready', `${this.#options.label} was closed.`);
    this.#closing.abort(reason);
    this.#rejectAll(reason);
    await this.#running;
  }

  #next(signal: AbortSignal | undefined): Promise<Frame> {
    return new Promise((resolve, reject) => {
      const unsubscribe = signal && onAbort(signal, () => settle(() => reject(signal.reason as Error)));
      const settle = (how: () => void): void => {
        this.#waiting.delete(waiter);
        unsubscribe?.();
        how();
      };
      const waiter: Waiter = {
        resolve: (frame) => settle(() => resolve(frame)),
        reject: (reason) => settle(() => reject(reason)),
      };
      this.#waiting.add(waiter);
    });
  }

  get #isWanted(): boolean {
    if (this.#closing.signal.aborted) return false;
    return this.#waiting.size > 0 || this.#options.clock.monotonic() - this.#askedAt < IDLE_MS;
  }

  async #run(): Promise<void> {
    const { clock } = this.#options;
    while (this.#isWanted) {
      try {
        await this.#capture();
      } catch (thrown) {
        if (this.#closing.signal.aborted) break;
        this.#fail(toArmatureError(thrown));
        await sleep(clock, backoffDelayMs(RETRY_BACKOFF, this.#failures, Math.random()), this.#closing.signal);
      }
    }
    // Nothing is awaited after the last check: a request from here on starts a new run.
    this.#running = undefined;
    this.#newest = undefined;
    this.#failure = undefined;
    this.#failures = 0;
  }

  /** Takes pictures until there are no more requests. Throws if the device stops delivering them. */
  async #capture(): Promise<void> {
    const { clock, open } = this.#options;
    const attempt = new AbortController();
    const { signal } = attempt;
    const unsubscribe = onAbort(this.#closing.signal, () => attempt.abort(this.#closing.signal.reason));
    const life = { at: clock.monotonic(), hasPicture: false };
    const look = clock.every(POLL_MS, () => {
      if (!this.#isWanted) attempt.abort('nobody asks');
      else this.#checkLife(life, attempt);
    });
    try {
      const run = await open(signal);
      try {
        await this.#take(run, life, signal);
      } finally {
        run.kill();
        await withTimeout(() => run.ended, { clock, ms: GONE_MS, onTimeout: () => null });
      }
    } catch (thrown) {
      if (signal.aborted && signal.reason === 'nobody asks') return;
      throw signal.aborted ? signal.reason : thrown;
    } finally {
      look.cancel();
      unsubscribe();
    }
  }

  #checkLife(life: { readonly at: number; readonly hasPicture: boolean }, attempt: AbortController): void {
    const { clock, label, periodMs } = this.#options;
    const limitMs = Math.max(life.hasPicture ? FROZEN_MS : FIRST_PICTURE_MS, 3 * periodMs);
    if (clock.monotonic() - life.at < limitMs) return;
    const message = `${label} gave no picture for ${Math.round(limitMs / 1_000)} s. It is started again; if this goes on, unplug the device and plug it in again.`;
    attempt.abort(new ArmatureError('hardware.failed', message));
  }

  /** Ends when the signal aborts: if a driver hangs, the end of its ffmpeg is never reported. */
  async #take(run: FfmpegRun, life: { at: number; hasPicture: boolean }, signal: AbortSignal): Promise<void> {
    const { clock, label, explain } = this.#options;
    const aborted = Promise.withResolvers<undefined>();
    const unsubscribe = onAbort(signal, () => aborted.resolve(undefined));
    try {
      for (;;) {
        const coming = run.next();
        coming.catch(() => undefined); // nobody waits for it after an abort
        const bytes = await Promise.race([coming, aborted.promise]);
        if (signal.aborted) return signal.throwIfAborted();
        if (bytes === undefined) break;
        const picture = completeJpeg(bytes);
        // A device sometimes sends only part of a picture, especially at its start.
        if (picture === undefined) continue;
        Object.assign(life, { at: clock.monotonic(), hasPicture: true });
        this.#onPicture(picture);
      }
    } catch (thrown) {
      if (signal.aborted) throw thrown;
      const reason = thrown instanceof Error ? thrown.message : String(thrown);
      throw new ArmatureError('hardware.failed', `${label}: ${reason}. It is started again.`, { cause: thrown });
    } finally {
      unsubscribe();
    }
    throw explain(await run.lastWords());
  }

  #onPicture(bytes: Uint8Array): void {
    const { clock, label, logger } = this.#options;
    if (this.#failure !== undefined) logger.info(`${label} gives pictures again.`);
    this.#failure = undefined;
    this.#failures = 0;
    this.#newest = { bytes, at: new Date(clock.now()), tick: clock.monotonic() };
    for (const waiter of [...this.#waiting]) waiter.resolve(this.#newest);
  }

  #fail(error: ArmatureError): void {
    if (this.#failure?.message !== error.message) this.#options.logger.warn(error.message);
    this.#failure = error;
    this.#failures += 1;
    this.#rejectAll(error);
  }

  #rejectAll(reason: unknown): void {
    for (const waiter of [...this.#waiting]) waiter.reject(reason);
  }
}
