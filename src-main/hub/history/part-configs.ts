import type { Clock } from '../../base/clock.ts';
import type { Part, Parts } from '../fleet/parts.ts';
import type { LiveParts } from '../presence/live-parts.ts';
import type { PartStream } from '../presence/part-stream.ts';
import type { Store } from '../storage/store.ts';
import type { WriteTransaction } from '../storage/tables.ts';
import { PartHistory } from './part-history.ts';
import type { PartVersion } from './tables.ts';
import { storedMessage, type NewVersion, type PartVersions } from './part-versions.ts';

export interface PartConfigsOptions {
  readonly store: Store;
  readonly parts: Parts;
  readonly versions: PartVersions;
  readonly live: LiveParts;
  readonly clock: Clock;
}

/** A text to store, and what it was written from. */
export interface VersionRequest extends NewVersion {
  readonly partId: string;
  /** Revision that must be the part's own; undefined stores it whatever there is. */
  readonly baseRevision: string | undefined;
}

export type StoreOutcome =
  /** `isNew` is false where the newest version has this text already. */
  | { readonly kind: 'stored'; readonly version: PartVersion; readonly isNew: boolean }
  /** Somebody else was first; nothing was stored. */
  | { readonly kind: 'conflict'; readonly version: PartVersion };

/** What parts are to run: stored here, and given to those that are connected. */
export class PartConfigs {
  readonly versions: PartVersions;
  readonly history: PartHistory;
  readonly #options: PartConfigsOptions;

  constructor(options: PartConfigsOptions) {
    const { store, versions, clock } = options;
    this.#options = options;
    this.versions = versions;
    this.history = new PartHistory(store, versions, clock);
  }

  /**
   * Compare and set: the text becomes the part's configuration, durably, if what
   * it was written from still is. The part gets it.
   * @param storer the stream of the part that has this text already
   * @throws {ArmatureError} `call.not_found`, `call.too_large`, `config.invalid`
   */
  async store(request: VersionRequest, storer?: PartStream): Promise<StoreOutcome> {
    const { store, parts, versions, live, clock } = this.#options;
    const outcome = await store.transaction(async (tx): Promise<StoreOutcome> => {
      const part = await parts.get(request.partId, tx);
      const current = await versions.currentOf(part, tx);
      const { baseRevision } = request;
      if (current !== undefined && baseRevision !== undefined && current.revision !== baseRevision) {
        return { kind: 'conflict', version: current };
      }
      const version = await versions.append(part, current, request, tx);
      const isNew = version.number !== part.version;
      if (isNew) await parts.touch(part.id, clock.now(), tx);
      return { kind: 'stored', version, isNew };
    });
    if (outcome.kind === 'stored' && outcome.isNew) {
      live.configStored(request.partId, storedMessage(outcome.version), storer);
    }
    return outcome;
  }

  /** See {@link PartVersions.append}. */
  async append(part: Part, version: NewVersion, tx: WriteTransaction): Promise<PartVersion> {
    return this.versions.append(part, await this.versions.currentOf(part, tx), version, tx);
  }

  /** The part was changed, its configuration perhaps too: it gets that unless it has it. */
  async changed(partId: string): Promise<void> {
    const { versions, live } = this.#options;
    const current = await versions.current(partId);
    if (current === undefined) live.changed(partId);
    else live.configStored(partId, storedMessage(current));
  }
}
