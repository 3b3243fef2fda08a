import path from 'node:path';
import { backoffDelayMs, type BackoffOptions } from '../../../base/async/backoff.ts';
import type { Clock, Timer } from '../../../base/clock.ts';
import { codeOf, toArmatureError } from '../../../base/errors.ts';
import type { Logger } from '../../../base/logger.ts';
import { Mutex } from '../../../base/async/mutex.ts';
import type { ModuleConfig } from '../../config/machine-config.ts';
import type {
  FilesFollower,
  FilesObserver,
  FilesProgress,
  ModuleFiles,
  ModuleFilesSource,
} from '../../modules/module-files.ts';
import { ArchiveStore, type UnpackedArchive } from './archive-store.ts';
import { FileWatch } from './file-watch.ts';
import { firstRun, type GroupGuard } from '../install/first-run.ts';
import { firstRunTimeoutMs } from '../install/first-run-timeout.ts';
import { expandHome } from './local-path.ts';
import { ThrottledProgress } from '../install/throttled-progress.ts';
import { sweepFolders } from '../install/sweep.ts';

export interface ArchiveFilesOptions {
  /** `<home>/packages` */
  readonly folder: string;
  /** Identifies this machine among others with the same home. */
  readonly machine: string;
  /** What `~/` stands for. */
  readonly userHome: string;
  readonly clock: Clock;
  /** In [0, 1). */
  readonly random: () => number;
  /** Logger of one module, by its name in the configuration. */
  readonly moduleLogger: (name: string) => Logger;
  /** Ends first runs when this program is killed. */
  readonly guard?: GroupGuard;
  readonly freeFloorBytes?: number;
}

/** A full disk or a missing network may recover. A damaged archive is retried only when it changes. */
const RETRY_BACKOFF: BackoffOptions = { firstMs: 2_000, maxMs: 300_000, factor: 2, jitter: 0.3 };

/** Interval of the search for unused archives. */
const SWEEP_MS = 6 * 60 * 60 * 1_000;

/** Files of local modules whose `executable_path` is an archive on this computer. */
export class ArchiveFiles implements ModuleFilesSource {
  readonly #options: ArchiveFilesOptions;
  readonly #names = new Map<ArchiveFollower, string>();
  /** The closing of modules that are no longer followed. */
  readonly #ending = new Set<Promise<void>>();
  readonly #sweeps: Timer;

  constructor(options: ArchiveFilesOptions) {
    this.#options = options;
    this.#sweeps = options.clock.every(SWEEP_MS, () => void this.#sweep());
  }

  follow(
    module: ModuleConfig,
    environment: (files: ModuleFiles) => Readonly<Record<string, string>>,
    observer: FilesObserver,
  ): FilesFollower {
    const follower = new ArchiveFollower(module, environment, observer, this.#options);
    this.#names.set(follower, module.name);
    return {
      accepted: (files) => follower.accepted(files),
      rejected: (files) => follower.rejected(files),
      refresh: () => follower.refresh(),
      close: () => this.#end(follower),
    };
  }

  /** Ends running work. Settles when it has ended. */
  async close(): Promise<void> {
    this.#sweeps.cancel();
    for (const follower of [...this.#names.keys()]) this.#end(follower);
    await Promise.all(this.#ending);
  }

  #end(follower: ArchiveFollower): void {
    this.#names.delete(follower);
    follower.close();
    const ending = follower.idle.finally(() => this.#ending.delete(ending));
    this.#ending.add(ending);
  }

  async #sweep(): Promise<void> {
    const { folder, machine, clock, moduleLogger } = this.#options;
    const names = new Set(this.#names.values());
    try {
      await sweepFolders(archivesFolder(folder, machine), clock, (name) => names.has(name));
    } catch (thrown) {
      moduleLogger('packages').warn(`Unused archives cannot be removed: ${toArmatureError(thrown).message}`);
    }
  }
}

function archivesFolder(folder: string, machine: string): string {
  return path.join(folder, 'local', machine.replace(/[^\w-]/g, '_'));
}

/** Whether a local module is an archive, by the name of its file. */
export function isArchive({ executablePath }: Pick<ModuleConfig, 'executablePath'>): boolean {
  return /\.(tar\.gz|tgz)$/i.test(executablePath);
}

class ArchiveFollower implements FilesFollower {
  readonly #module: ModuleConfig;
  readonly #environment: (files: ModuleFiles) => Readonly<Record<string, string>>;
  readonly #observer: FilesObserver;
  readonly #options: ArchiveFilesOptions;
  readonly #path: string;
  readonly #store: ArchiveStore;
  readonly #progress: ThrottledProgress;
  readonly #logger: Logger;
  readonly #controller = new AbortController();
  /** The last offer, by folder. */
  readonly #known = new Map<string, UnpackedArchive>();
  #offered: UnpackedArchive | undefined;
  #accepted: UnpackedArchive | undefined;
  #previous: UnpackedArchive | undefined;
  #missing = '';
  #failures = 0;
  #retry: Timer | undefined;
  /** Set while the archive cannot be used. */
  #watch: FileWatch | undefined;
  readonly #turns = new Mutex();

  constructor(
    module: ModuleConfig,
    environment: (files: ModuleFiles) => Readonly<Record<string, string>>,
    observer: FilesObserver,
    options: ArchiveFilesOptions,
  ) {
    const { folder, machine, userHome, clock, moduleLogger } = options;
    this.#module = module;
    this.#environment = environment;
    this.#observer = observer;
    this.#options = options;
    this.#path = expandHome(module.executablePath, userHome);
    this.#store = new ArchiveStore(path.join(archivesFolder(folder, machine), module.name));
    this.#progress = new ThrottledProgress(clock, (progress) => observer.onProgress(progress));
    this.#logger = moduleLogger(module.name);
    void this.#check();
  }

  accepted(files: ModuleFiles): void {
    const accepted = this.#known.get(files.root);
    if (accepted === undefined) return;
    if (accepted.content !== this.#accepted?.content) this.#previous = this.#accepted;
    this.#accepted = accepted;
    void this.#withMutex(() => this.#removeOld());
  }

  rejected(files: ModuleFiles): ModuleFiles | undefined {
    const back = [this.#accepted, this.#previous].find((one) => one !== undefined && one.root !== files.root);
    if (back === undefined) return undefined;
    this.#offered = back;
    return this.#filesOf(back);
  }

  refresh(): Promise<void> {
    this.#failures = 0;
    return this.#check();
  }

  /** Settles when no work is in progress. */
  get idle(): Promise<void> {
    return this.#turns.idle();
  }

  close(): void {
    this.#controller.abort();
    this.#retry?.cancel();
    this.#watch?.close();
    this.#progress.close();
  }

  /** Checks whether the archive has changed, after any running work. */
  #check(): Promise<void> {
    return this.#withMutex(() => this.#checkNow());
  }

  #withMutex(work: () => Promise<void>): Promise<void> {
    return this.#turns.run(async () => {
      if (!this.#isClosed) await work();
    });
  }

  get #isClosed(): boolean {
    return this.#controller.signal.aborted;
  }

  async #checkNow(): Promise<void> {
    this.#retry?.cancel();
    try {
      const archive = await this.#setUp(await this.#unpack());
      if (this.#isClosed) return;
      this.#failures = 0;
      this.#missing = '';
      this.#watch?.close();
      this.#watch = undefined;
      this.#progress.report(undefined);
      if (archive.content === this.#offered?.content) return;
      this.#offered = archive;
      this.#known.set(archive.root, archive);
      this.#observer.onFiles(this.#filesOf(archive));
    } catch (thrown) {
      if (!this.#isClosed) this.#failed(thrown);
    }
  }

  #unpack(): Promise<UnpackedArchive> {
    const { freeFloorBytes } = this.#options;
    return this.#store.unpack(this.#path, {
      signal: this.#controller.signal,
      onRead: (doneBytes, totalBytes) => this.#reportProgress('unpacking', doneBytes, totalBytes),
      ...(freeFloorBytes === undefined ? {} : { freeFloorBytes }),
    });
  }

  async #setUp(archive: UnpackedArchive): Promise<UnpackedArchive> {
    if (archive.isSetUp) return archive;
    this.#reportProgress('first-run', 0, 0);
    await firstRun({
      program: path.join(archive.root, archive.firstRun),
      root: archive.root,
      environment: this.#environment(this.#filesOf(archive)),
      timeoutMs: firstRunTimeoutMs(this.#module),
      clock: this.#options.clock,
      signal: this.#controller.signal,
      logger: this.#logger.child('first_run'),
      guard: this.#options.guard,
    });
    return this.#store.markSetUp(archive);
  }

  #failed(thrown: unknown): void {
    const { clock, random } = this.#options;
    const reason = this.#reasonOf(thrown);
    this.#watch ??= new FileWatch({ path: this.#path, clock, onChange: () => void this.#check() });
    this.#retry = clock.after(backoffDelayMs(RETRY_BACKOFF, ++this.#failures, random()), () => void this.#check());
    if (reason !== this.#missing) {
      this.#missing = reason;
      this.#logger.error(`${reason}.`);
      if (this.#offered === undefined) this.#observer.onMissing(reason);
    }
    this.#progress.report({ version: this.#module.version, step: 'rejected', doneBytes: 0, totalBytes: 0, reason });
  }

  #reasonOf(thrown: unknown): string {
    const code = codeOf(thrown);
    if (code === 'ENOENT' || code === 'ENOTDIR')
      return `${this.#path} is not there: build it, or correct executable_path`;
    if (code === 'EACCES') return `${this.#path} may not be read by the user of this server: give it the right to`;
    if (code === 'EISDIR') return `${this.#path} is a folder: executable_path names an archive`;
    return `${this.#path} cannot be used: ${toArmatureError(thrown).message}`;
  }

  #reportProgress(step: FilesProgress['step'], doneBytes: number, totalBytes: number): void {
    this.#progress.report({ version: this.#module.version, step, doneBytes, totalBytes, reason: '' });
  }

  /** Deletes folders that are neither running nor kept for falling back. */
  async #removeOld(): Promise<void> {
    const kept = [this.#offered, this.#accepted, this.#previous].flatMap((one) =>
      one === undefined ? [] : [one.content],
    );
    try {
      await this.#store.keepOnly(new Set(kept));
    } catch (thrown) {
      this.#logger.warn(`Earlier unpacked files cannot be removed: ${toArmatureError(thrown).message}`);
    }
  }

  #filesOf({ root, entrypoint }: UnpackedArchive): ModuleFiles {
    return { version: this.#module.version, root, executable: path.join(root, entrypoint) };
  }
}
