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

  /**
   * To be called after a part was changed, perhaps with its configuration: sends that to the part, unless it has it.
   */
  async changed(partId: string): Promise<void> {
    const { versions, live } = this.#options;
    const current = await versions.current(partId);
    if (current === undefined) live.changed(partId);
    else live.configStored(partId, storedMessage(current));
  }
}
