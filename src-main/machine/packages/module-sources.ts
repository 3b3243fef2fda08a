import type { Clock } from '../../base/clock.ts';
import type { Logger } from '../../base/logger.ts';
import type { ModuleConfig } from '../config/machine-config.ts';
import type { FilesFollower, FilesObserver, ModuleFiles, ModuleFilesSource } from '../modules/module-files.ts';
import { isArchive } from './archive/archive-files.ts';
import { FileWatch } from './archive/file-watch.ts';
import { expandHome } from './archive/local-path.ts';

export interface ModuleSourcesOptions {
  readonly registry: ModuleFilesSource;
  readonly archives: ModuleFilesSource;
  /** Files of local modules that are programs. */
  readonly programs: ModuleFilesSource;
  /** What `~/` stands for. */
  readonly userHome: string;
  readonly clock: Clock;
  readonly moduleLogger: (name: string) => Logger;
}

/**
 * Where the files of each module come from, according to its configuration; local files are offered again when
 * `reload_path` changes.
 */
export class ModuleSources implements ModuleFilesSource {
  readonly #options: ModuleSourcesOptions;

  constructor(options: ModuleSourcesOptions) {
    this.#options = options;
  }

  follow(
    module: ModuleConfig,
    environment: (files: ModuleFiles) => Readonly<Record<string, string>>,
    observer: FilesObserver,
  ): FilesFollower {
    const { registry, archives, programs, userHome } = this.#options;
    if (module.type === 'registry') return registry.follow(module, environment, observer);
    const source = isArchive(module) ? archives : programs;
    const reloadPath = reloadPathOf(module);
    if (reloadPath === undefined) return source.follow(module, environment, observer);
    const reloaded = new Reloaded(observer);
    const follower = source.follow(module, environment, reloaded);
    const watch = new FileWatch({
      path: expandHome(reloadPath, userHome),
      clock: this.#options.clock,
      onChange: () => {
        this.#options.moduleLogger(module.name).info(`${reloadPath} has changed: the module is loaded again`);
        void reloaded.reload(follower);
      },
    });
    return {
      accepted: (files) => follower.accepted(files),
      rejected: (files, reason) => follower.rejected(files, reason),
      refresh: () => follower.refresh(),
      close: () => {
        watch.close();
        follower.close();
      },
    };
  }
}

/** The file whose change reloads a local module; undefined if there is none, or nobody wants it. */
export function reloadPathOf({ raw }: Pick<ModuleConfig, 'raw'>): string | undefined {
  const path = raw['reload_path'];
  return typeof path === 'string' && path !== '' && raw['reload_enabled'] !== false ? path : undefined;
}

/** Passes offers on, and repeats the last files if a reload brings no new ones. */
class Reloaded implements FilesObserver {
  readonly #observer: FilesObserver;
  #last: ModuleFiles | undefined;
  #isRefused = false;

  constructor(observer: FilesObserver) {
    this.#observer = observer;
  }

  onFiles(files: ModuleFiles): void {
    this.#last = files;
    this.#observer.onFiles(files);
  }

  onProgress(progress: Parameters<FilesObserver['onProgress']>[0]): void {
    if (progress?.step === 'rejected') this.#isRefused = true;
    this.#observer.onProgress(progress);
  }

  onMissing(reason: string): void {
    this.#isRefused = true;
    this.#observer.onMissing(reason);
  }

  async reload(follower: FilesFollower): Promise<void> {
    const before = this.#last;
    this.#isRefused = false;
    await follower.refresh();
    // A new object means a new start: the program itself may be the same file.
    if (before !== undefined && this.#last === before && !this.#isRefused) this.onFiles({ ...before });
  }
}
