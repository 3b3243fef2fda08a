import type { Clock, Timer } from '../../../base/clock.ts';
import type { FilesProgress } from '../../modules/module-files.ts';

/** At most five a second: somebody looks at it, and everybody who does is told. */
const PACE_MS = 200;

/** Tells of progress at a pace that people can follow; another step, and its end, at once. */
export class PacedProgress {
  readonly #clock: Clock;
  readonly #onProgress: (progress: FilesProgress | undefined) => void;
  #told: FilesProgress | undefined;
  #next: { readonly progress: FilesProgress } | undefined;
  #pause: Timer | undefined;

  constructor(clock: Clock, onProgress: (progress: FilesProgress | undefined) => void) {
    this.#clock = clock;
    this.#onProgress = onProgress;
  }

  tell(progress: FilesProgress | undefined): void {
    const isSameStep = progress?.step === this.#told?.step && progress?.version === this.#told?.version;
    if (progress === undefined || !isSameStep) {
      this.#pause?.cancel();
      this.#pause = this.#next = undefined;
      if (progress === undefined && this.#told === undefined) return;
      this.#say(progress);
    } else if (this.#pause === undefined) this.#say(progress);
    else this.#next = { progress };
  }

  close(): void {
    this.#pause?.cancel();
    this.#pause = this.#next = undefined;
  }

  #say(progress: FilesProgress | undefined): void {
    this.#told = progress;
    this.#onProgress(progress);
    this.#pause = this.#clock.after(PACE_MS, () => {
      this.#pause = undefined;
      const next = this.#next;
      this.#next = undefined;
      if (next !== undefined) this.#say(next.progress);
    });
  }
}
