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
  /** Whether a running module may be interrupted now; asked repeatedly until it may be. */
  readonly mayInterrupt: () => Promise<Permission>;
  /** Whether starting other files now would interrupt a process that is ready. */
  readonly isReady: () => boolean;
  /** The files to run, or their status, have changed. */
  readonly onChange: () => void;
  /** New files arrived while no process was ready: there is no point in waiting to retry the old ones. */
  readonly onFresh: () => void;
}

/**
 * Decides which files a module runs. Newer files replace the running ones when maintenance allows it; if the module
 * does not become ready with them, it returns to the previous ones.
 */
export class ModuleVersions {
  readonly #options: ModuleVersionsOptions;
  #follower: FilesFollower | undefined;
  #wanted = '';
  #files: ModuleFiles | undefined;
  /** Files that wait for maintenance. */
  #offered: ModuleFiles | undefined;
  /** The last files that stayed ready for a while. */
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

  /** The files to run; undefined if there are none. */
  get files(): ModuleFiles | undefined {
    return this.#files;
  }

  /** Why there is nothing to run; '' if there is, or the reason is not known yet. */
  get missing(): string {
    return this.#files === undefined ? this.#missing : '';
  }

  /** The version that is in progress, waits, or was rejected last. */
  get update(): ModuleUpdate | undefined {
    if (this.#isSwitching && this.#files !== undefined) return update(this.#files.version, 'switching', '');
    const offered = this.#offered;
    if (offered !== undefined) return update(offered.version, 'deferred', this.#waitsFor ?? 'maintenance is asked for');
    return this.#progress ?? this.#rejected;
  }

  /** Starts to follow the files of a configuration, unless it does already. */
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
   * Stops following: another configuration may need other files.
   * @param keepsFiles the current files stay in use until there are others
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

  /** Uses the waiting version now, without maintenance, because a person restarts the module. */
  takeOffered(): void {
    if (this.#offered !== undefined) this.#take(this.#offered);
  }

  /** A process with `files` is ready: they are accepted if it stays ready for a while. */
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
   * @returns whether to run other files now instead
   */
  failed(files: ModuleFiles, reason: string): boolean {
    this.ended();
    this.#isSwitching = false;
    if (files === this.#proven || files !== this.#files) return false;
    const back = this.#follower?.rejected(files, reason);
    // Unless there are better files, it is retried: perhaps only a cable is missing.
    if (back === undefined) return false;
    this.#files = this.#proven = back;
    this.#rejected = update(files.version, 'rejected', reason);
    return true;
  }

  /** The process was ended on purpose, which says nothing about its files. */
  ended(): void {
    this.#trial?.cancel();
    this.#trial = undefined;
  }

  #offer(files: ModuleFiles): void {
    this.#progress = undefined;
    this.#missing = '';
    if (files === this.#files) {
      // The version that waited is no longer wanted.
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
