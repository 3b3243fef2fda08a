import type { Changes } from '../../base/async/change-batches.ts';
import type { FilesProgress } from './module-files.ts';

/** The status of a package of a configuration, as it is shown to people. Immutable. */
export interface PackageStatus {
  /** As placeholders name it. */
  readonly name: string;
  /** `organization id/name`. */
  readonly packageId: string;
  readonly type: string;
  /** Exact, of what is there; '' where nothing is. */
  readonly version: string;
  /** As configured. */
  readonly wantedVersion: string;
  readonly state: 'pending' | 'ready' | 'failed';
  /** For people, without a full stop: why it is not ready, or not the one that is wanted; '' otherwise. */
  readonly reason: string;
  /** When it came into this state, wall-clock milliseconds. */
  readonly since: number;
  /** A version on its way, or one that cannot be used. */
  readonly update: FilesProgress | undefined;
}

/** A batch of changes; `removed` are names. */
export type PackageChanges = Changes<PackageStatus>;
