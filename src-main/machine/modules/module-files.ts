import type { ModuleConfig } from '../config/machine-config.ts';

/** The files of one version of a module: complete and verified, with the first run done. */
export interface ModuleFiles {
  /** Exact; '' for a local module without one. */
  readonly version: string;
  /** Absolute path of the program. */
  readonly executable: string;
  /** Absolute path of its folder: `SVC_MODULE_ROOT`, and the working directory of the process. */
  readonly root: string;
}

/** A version that is being downloaded or prepared. */
export interface FilesProgress {
  readonly version: string;
  readonly step: 'downloading' | 'unpacking' | 'first-run' | 'rejected';
  readonly doneBytes: number;
  /** 0 if unknown. */
  readonly totalBytes: number;
  /** Why a version cannot be used; '' otherwise. */
  readonly reason: string;
}

/** Receives the files that a module is to run. Never called from within `follow`. */
export interface FilesObserver {
  /** Called with the first files, then with those of each newer version once it is complete. */
  onFiles(files: ModuleFiles): void;
  /** Undefined: nothing is in progress. */
  onProgress(progress: FilesProgress | undefined): void;
  /**
   * There are no files to run, and why: `the hub has no version 1.3.* of acme:motors for linux/arm64`. It is retried
   * automatically.
   */
  onMissing(reason: string): void;
}

/** Follows the files of one configured module until it is closed. */
export interface FilesFollower {
  /** The module was started with these files and became ready. The previous version may be dropped some time later. */
  accepted(files: ModuleFiles): void;
  /**
   * The module did not become ready with these files: they are not offered again until the registry gives another
   * answer. Returns the files to go back to, if there are any.
   */
  rejected(files: ModuleFiles, reason: string): ModuleFiles | undefined;
  /** Checks again now: unpacks a local archive again, restarts a failed download. Settles with the result. */
  refresh(): Promise<void>;
  close(): void;
}

/** Where the files of modules come from. */
export interface ModuleFilesSource {
  /** @param environment for the first run, in addition to what the source sets itself */
  follow(
    module: ModuleConfig,
    environment: (files: ModuleFiles) => Readonly<Record<string, string>>,
    observer: FilesObserver,
  ): FilesFollower;
}
