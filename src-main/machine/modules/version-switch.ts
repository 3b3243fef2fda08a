import type { Clock, Timer } from '../../base/clock.ts';
import type { Permission } from '../maintenance/maintenance-gate.ts';
import type { FilesFollower, FilesProgress, ModuleFiles } from './module-files.ts';
import type { ModuleUpdate } from './module-status.ts';
import type { ModuleTiming } from './module-timing.ts';

export interface VersionSwitchParts {
  readonly clock: Clock;
  readonly timing: ModuleTiming;
  /** Whether a running module may be interrupted now; asked until it may. */
  readonly mayInterrupt: () => Promise<Permission>;
  /** The update or the files to run have changed. */
  readonly onChange: () => void;
}

/**
 * Which files a module is to run: newer ones take the place of those that run
 * when maintenance allows it, and give it back where they do not get ready.
 */
export class VersionSwitch {
  readonly #parts: VersionSwitchParts;
  #files: ModuleFiles | undefined;
  /** Wait for maintenance. */
  #offered: ModuleFiles | undefined;
  /** The last that stayed ready for a while. */
  #proven: ModuleFiles | undefined;
  #progress: FilesProgress | undefined;
  #waitsFor: string | undefined;
  #rejected: ModuleUpdate | undefined;
  #isSwitching = false;
  #isAsking = false;
  #isClosed = false;
  #trial: Timer | undefined;

  constructor(parts: VersionSwitchParts) {
    this.#parts = parts;
  }

  /** What is to run; undefined while there is nothing. */
  get files(): ModuleFiles | undefined {
    return this.#files;
  }

  /** What is under way, waits, or was refused last. */
  get update(): ModuleUpdate | undefined {
    const offered = this.#offered;
    if (this.#isSwitching && this.#files !== undefined) return update(this.#files.version, 'switching', '');
    if (offered !== undefined) return update(offered.version, 'deferred', this.#waitsFor ?? 'maintenance is asked for');
    if (this.#progress !== undefined) return this.#progress;
    return this.#rejected;
  }

  /** Files of another configuration: what was known of the ones before is of no use. */
  reset(keepsRunning: boolean): void {
    this.#cancelTrial();
    this.#offered = this.#progress = this.#rejected = this.#waitsFor = undefined;
    this.#isSwitching = false;
    if (!keepsRunning) this.#files = this.#proven = undefined;
  }

  /** Newer files are there. @param isReady whether a process would be interrupted by running them */
  offer(files: ModuleFiles, isReady: boolean): void {
    this.#progress = undefined;
    if (isReady) {
      this.#offered = files;
      void this.#awaitPermission();
    } else {
      this.#offered = undefined;
      this.#take(files);
    }
    this.#parts.onChange();
  }

  /** Runs what waits, whatever maintenance says: a person restarts the module. */
  takeOffered(): void {
    if (this.#offered !== undefined) this.#take(this.#offered);
  }

  report(progress: FilesProgress | undefined): void {
    this.#progress = progress;
    this.#parts.onChange();
  }

  /** What is wanted is not to be had; what there is runs on. */
  miss(version: string, reason: string): void {
    this.#rejected = update(version, 'rejected', reason);
  }

  /** A process with `files` is ready: they are kept when it stays so for a while. */
  ready(files: ModuleFiles, follower: FilesFollower | undefined): void {
    this.#cancelTrial();
    this.#isSwitching = false;
    if (files === this.#proven) return;
    this.#trial = this.#parts.clock.after(this.#parts.timing.trialMs, () => {
      this.#proven = files;
      this.#rejected = undefined;
      follower?.accepted(files);
      this.#parts.onChange();
    });
  }

  /**
   * A process with `files` ended on its own.
   * @returns whether other files are to be run now instead
   */
  failed(files: ModuleFiles, reason: string, follower: FilesFollower | undefined): boolean {
    this.#cancelTrial();
    this.#isSwitching = false;
    // Where nothing is known to be better, it is tried again: what is missing may be a cable.
    if (files === this.#proven || this.#proven === undefined || files !== this.#files) return false;
    const back = follower?.rejected(files, reason) ?? this.#proven;
    this.#rejected = update(files.version, 'rejected', reason);
    this.#files = back;
    this.#proven = back;
    return true;
  }

  /** The process was ended on purpose: it proves nothing. */
  ended(): void {
    this.#cancelTrial();
  }

  close(): void {
    this.#isClosed = true;
    this.#cancelTrial();
    this.#offered = undefined;
  }

  #take(files: ModuleFiles): void {
    this.#offered = undefined;
    this.#waitsFor = undefined;
    this.#rejected = undefined;
    this.#isSwitching = this.#files !== undefined;
    this.#files = files;
  }

  async #awaitPermission(): Promise<void> {
    if (this.#isAsking) return;
    this.#isAsking = true;
    const { clock, timing, mayInterrupt, onChange } = this.#parts;
    while (this.#offered !== undefined && !this.#isClosed) {
      const permission = await mayInterrupt();
      if (this.#offered === undefined || this.#isClosed) break;
      if (permission.isAllowed) {
        this.#take(this.#offered);
        onChange();
        break;
      }
      const waitsFor = `waiting for ${permission.reason}`;
      if (waitsFor !== this.#waitsFor) {
        this.#waitsFor = waitsFor;
        onChange();
      }
      await new Promise<void>((resolve) => clock.after(timing.permissionMs, resolve));
    }
    this.#isAsking = false;
  }

  #cancelTrial(): void {
    this.#trial?.cancel();
    this.#trial = undefined;
  }
}

function update(version: string, step: ModuleUpdate['step'], reason: string): ModuleUpdate {
  return { version, step, doneBytes: 0, totalBytes: 0, reason };
}
