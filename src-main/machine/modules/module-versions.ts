import { sleep, type Clock, type Timer } from '../../base/clock.ts';
import type { ModuleConfig } from '../config/machine-config.ts';
import type { Permission } from '../maintenance/maintenance-gate.ts';
import type { FilesFollower, FilesProgress, ModuleFiles, ModuleFilesSource } from './module-files.ts';
import type { ModuleUpdate } from './module-status.ts';
import type { ModuleTiming } from './run/module-timing.ts';

export interface ModuleVersionsOptions {
  readonly clock: Clock;
  readonly timing: ModuleTiming;
  readonly source: ModuleFilesSource;
  readonly firstRunEnvironment: (config: ModuleConfig, files: ModuleFiles) => Readonly<Record<string, string>>;
  /** Whether a running module may be interrupted now; asked until it may. */
  readonly mayInterrupt: () => Promise<Permission>;
  /** Whether files that are to be run now would interrupt a process that is ready. */
  readonly isReady: () => boolean;
  /** The files to run have changed, or their status. */
  readonly onChange: () => void;
  /** Files came while nothing was ready: waiting to try the ones before again is of no use. */
  readonly onFresh: () => void;
}

/**
 * Which files a module is to run: newer ones take the place of those that run
 * when maintenance allows it, and give it back where they do not get ready.
 */
export class ModuleVersions {
  readonly #options: ModuleVersionsOptions;
  #follower: FilesFollower | undefined;
  #wanted = '';
  #files: ModuleFiles | undefined;
  /** Wait for maintenance. */
  #offered: ModuleFiles | undefined;
  /** The last that stayed ready for a while. */
  #proven: ModuleFiles | undefined;
  #progress: FilesProgress | undefined;
  #missing = '';
  #waitsFor: string | undefined;
  #rejected: ModuleUpdate | undefined;
  #isSwitching = false;
  #isAsking = false;
  #trial: Timer | undefined;

  constructor(options: ModuleVersionsOptions) {
    this.#options = options;
  }

  /** The files to run; undefined while there are none. */
  get files(): ModuleFiles | undefined {
    return this.#files;
  }

  /** Why there is nothing to run; '' where there is, or it is not known yet. */
  get missing(): string {
    return this.#files === undefined ? this.#missing : '';
  }

  /** What is in progress, waits, or was refused last. */
  get update(): ModuleUpdate | undefined {
    if (this.#isSwitching && this.#files !== undefined) return update(this.#files.version, 'switching', '');
    const offered = this.#offered;
    if (offered !== undefined) return update(offered.version, 'deferred', this.#waitsFor ?? 'maintenance is asked for');
    return this.#progress ?? this.#rejected;
  }

  /** Begins to follow the files of a configuration, unless it does already. */
  follow(config: ModuleConfig): void {
    if (this.#follower !== undefined) return;
    const { source, firstRunEnvironment } = this.#options;
    this.#wanted = config.version;
    const ifCurrent = (act: () => void): void => {
      if (this.#follower !== follower) return;
      act();
      this.#options.onChange();
    };
    const follower = source.follow(config, (found) => firstRunEnvironment(config, found), {
      onFiles: (found) => ifCurrent(() => this.#offer(found)),
      onProgress: (progress) => ifCurrent(() => (this.#progress = progress)),
      onMissing: (reason) => ifCurrent(() => this.#miss(reason)),
    });
    this.#follower = follower;
  }

  /**
   * Follows nothing any more: another configuration may lead to other files.
   * @param keepsFiles what there is runs on until there are others
   */
  unfollow(keepsFiles: boolean): void {
    this.#follower?.close();
    this.#follower = undefined;
    this.ended();
    this.#offered = this.#progress = this.#rejected = this.#waitsFor = undefined;
    this.#missing = '';
    this.#isSwitching = false;
    if (!keepsFiles) this.#files = this.#proven = undefined;
  }

  /** Checks for files again; settles with the result, success or not. */
  async refresh(): Promise<void> {
    // Failures are reported to the observer.
    await this.#follower?.refresh().catch(() => undefined);
  }

  /** Runs the waiting version without waiting for maintenance, because a person restarts the module. */
  takeOffered(): void {
    if (this.#offered !== undefined) this.#take(this.#offered);
  }

  /** A process with `files` is ready: they are kept when it stays so for a while. */
  ready(files: ModuleFiles): void {
    this.ended();
    this.#isSwitching = false;
    if (files === this.#proven) return;
    const follower = this.#follower;
    this.#trial = this.#options.clock.after(this.#options.timing.trialMs, () => {
      this.#proven = files;
      this.#rejected = undefined;
      follower?.accepted(files);
      this.#options.onChange();
    });
  }

  /**
   * A process with `files` ended on its own.
   * @returns whether other files are to be run now instead
   */
  failed(files: ModuleFiles, reason: string): boolean {
    this.ended();
    this.#isSwitching = false;
    if (files === this.#proven || files !== this.#files) return false;
    const back = this.#follower?.rejected(files, reason);
    // Unless something better is known, it is tried again: only a cable may be missing.
    if (back === undefined) return false;
    this.#files = this.#proven = back;
    this.#rejected = update(files.version, 'rejected', reason);
    return true;
  }

  /** The process was ended on purpose: it proves nothing. */
  ended(): void {
    this.#trial?.cancel();
    this.#trial = undefined;
  }

  #offer(files: ModuleFiles): void {
    this.#progress = undefined;
    this.#missing = '';
    if (files === this.#files) {
      // What waited is not wanted any more.
      this.#offered = this.#waitsFor = undefined;
    } else if (this.#options.isReady()) {
      this.#offered = files;
      void this.#awaitPermission();
    } else {
      this.#take(files);
      this.#options.onFresh();
    }
  }

  #miss(reason: string): void {
    this.#missing = reason;
    // The running version continues; its status says that it is not the configured one.
    if (this.#files !== undefined) this.#rejected = update(this.#wanted, 'rejected', reason);
  }

  #take(files: ModuleFiles): void {
    this.#offered = this.#waitsFor = this.#rejected = undefined;
    this.#isSwitching = this.#files !== undefined;
    this.#files = files;
  }

  async #awaitPermission(): Promise<void> {
    if (this.#isAsking) return;
    this.#isAsking = true;
    const { clock, timing, mayInterrupt, onChange } = this.#options;
    while (this.#offered !== undefined) {
      const permission = await mayInterrupt();
      if (this.#offered === undefined) break;
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
      await sleep(clock, timing.permissionMs);
    }
    this.#isAsking = false;
  }
}

function update(version: string, step: ModuleUpdate['step'], reason: string): ModuleUpdate {
  return { version, step, doneBytes: 0, totalBytes: 0, reason };
}
