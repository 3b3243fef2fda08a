import type { Changes } from '../../base/async/change-batches.ts';
import type { FilesProgress } from './module-files.ts';

/** The status of a configured package, as shown to people. Immutable. */
export interface PackageStatus {
  /** The name used in placeholders. */
  readonly name: string;
  /** `organization id/name`. */
  readonly packageId: string;
  readonly type: string;
  /** Exact version of the installed files; '' if there are none. */
  readonly version: string;
  /** As configured. */
  readonly wantedVersion: string;
  readonly state: 'pending' | 'ready' | 'failed';
  /** For people, without a full stop: why it is not ready, or not the wanted version; '' otherwise. */
  readonly reason: string;
  /** When it entered this state, wall-clock milliseconds. */
  readonly since: number;
  /** A version that is being downloaded, or one that cannot be used. */
  readonly update: FilesProgress | undefined;
}

/** A batch of changes; `removed` are names. */
export type PackageChanges = Changes<PackageStatus>;
