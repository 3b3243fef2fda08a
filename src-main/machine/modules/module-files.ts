import type { ModuleConfig } from '../config/machine-config.ts';

/** The files of one version of a module, whole and checked, with its first run done. */
export interface ModuleFiles {
  /** Exact; '' for a local module that names none. */
  readonly version: string;
  /** Absolute path of the program. */
  readonly executable: string;
  /** Its folder, absolute: `SVC_MODULE_ROOT`, and where the process works. */
  readonly root: string;
}

/** A version on its way to the machine. */
export interface FilesProgress {
  readonly version: string;
  readonly step: 'downloading' | 'unpacking' | 'first-run' | 'rejected';
  readonly doneBytes: number;
  /** 0 where it is not known. */
  readonly totalBytes: number;
  /** Why a version is not usable; '' otherwise. */
  readonly reason: string;
}

/** Called with the files that a module is to run; never from within `follow`. */
export interface FilesObserver {
  /** The first files, then those of each newer version once it is complete. */
  onFiles(files: ModuleFiles): void;
  /** Undefined: nothing is under way. */
  onProgress(progress: FilesProgress | undefined): void;
  /** There are no files to run, and why: `the hub has no version 1.3.* of acme:motors for linux/arm64`. Tried again by itself. */
  onMissing(reason: string): void;
}

/** Follows the files of one configured module until it is closed. */
export interface FilesFollower {
  /** They were started and became ready. The version before may be forgotten some time later. */
  accepted(files: ModuleFiles): void;
  /**
   * They did not become ready: they are not offered again before the registry
   * has another answer. Gives the files to go back to, where there are any.
   */
  rejected(files: ModuleFiles, reason: string): ModuleFiles | undefined;
  /** Checks again at once: unpacks a local archive again, restarts a failed download. Settles with the result. */
  refresh(): Promise<void>;
  close(): void;
}

/** Where the files of modules come from. */
export interface ModuleFilesSource {
  /** @param environment for the first run, besides what the source adds itself */
  follow(
    module: ModuleConfig,
    environment: (files: ModuleFiles) => Readonly<Record<string, string>>,
    observer: FilesObserver,
  ): FilesFollower;
}
