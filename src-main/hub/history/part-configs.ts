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

/** A text to store, and the revision that it was written from. */
export interface VersionRequest extends NewVersion {
  readonly partId: string;
  /** The text is stored only if this is the part's current revision; undefined stores it in any case. */
  readonly baseRevision: string | undefined;
}

export type StoreOutcome =
  /** `isNew` is false if the newest version has this text already. */
  | { readonly kind: 'stored'; readonly version: PartVersion; readonly isNew: boolean }
  /** The configuration has changed since `baseRevision`; nothing was stored. */
  | { readonly kind: 'conflict'; readonly version: PartVersion };

/** Configurations of parts: stores them, and sends them to connected parts. */
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
   * Compare and set: makes the text the part's configuration, durably, if `baseRevision` is still the current one.
   * Sends it to the part.
   * @param storer the stream of the part, if the text came from it: it has the text already
   * @throws {ArmatureError} `call.not_found`, `call.too_large`, `config.invalid`
   */
  async store(request: VersionRequest, storer?: PartStream): Promise<StoreOutcome> {
    const { store, parts, versions, live } = this.#options;
    const outcome = await store.transaction(async (tx): Promise<StoreOutcome> => {
      const part = await parts.get(request.partId, tx);
      const current = await versions.currentOf(part, tx);
      const { baseRevision } = request;
      if (current !== undefined && baseRevision !== undefined && current.revision !== baseRevision) {
        return { kind: 'conflict', version: current };
      }
      const { version } = await versions.append(part, current, request, tx);
      return { kind: 'stored', version, isNew: version.number !== part.version };
    });
    if (outcome.kind === 'stored' && outcome.isNew) {
      live.configStored(request.partId, storedMessage(outcome.version), storer);
    }
    return outcome;
  }

  /**
   * See {@link PartVersions.append}. Sends the version to the part after the commit, unless the part has it.
   * @returns the part afterwards
   */
  async append(part: Part, version: NewVersion, tx: WriteTransaction): Promise<Part> {
    const { store, versions, live } = this.#options;
    const stored = await versions.append(part, await versions.currentOf(part, tx), version, tx);
    store.onEnd(tx, (isCommitted) => {
      if (isCommitted) live.configStored(part.id, storedMessage(stored.version));
    });
    return stored.part;
  }

  /** To be called after a part was changed without its configuration. */
  changed(partId: string): void {
    this.#options.live.changed(partId);
  }
}
