import type { Clock, Timer } from '../../../base/clock.ts';
import type { FilesProgress } from '../../modules/module-files.ts';

/** At most five a second, because each is sent to every viewer. */
const INTERVAL_MS = 200;

/** Limits reports of progress to one per interval; another step, and the end, are reported at once. */
export class ThrottledProgress {
  readonly #clock: Clock;
  readonly #onProgress: (progress: FilesProgress | undefined) => void;
  #reported: FilesProgress | undefined;
  #next: { readonly progress: FilesProgress } | undefined;
  #pause: Timer | undefined;

  constructor(clock: Clock, onProgress: (progress: FilesProgress | undefined) => void) {
    this.#clock = clock;
    this.#onProgress = onProgress;
  }

  report(progress: FilesProgress | undefined): void {
    const isSameStep = progress?.step === this.#reported?.step && progress?.version === this.#reported?.version;
    if (progress === undefined || !isSameStep) {
      this.#pause?.cancel();
      this.#pause = this.#next = undefined;
      if (progress === undefined && this.#reported === undefined) return;
      this.#emit(progress);
    } else if (this.#pause === undefined) this.#emit(progress);
    else this.#next = { progress };
  }

  close(): void {
    this.#pause?.cancel();
    this.#pause = this.#next = undefined;
  }

  #emit(progress: FilesProgress | undefined): void {
    this.#reported = progress;
    this.#onProgress(progress);
    this.#pause = this.#clock.after(INTERVAL_MS, () => {
      this.#pause = undefined;
      const next = this.#next;
      this.#next = undefined;
      if (next !== undefined) this.#emit(next.progress);
    });
  }
}
