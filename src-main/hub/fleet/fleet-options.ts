import type { Emitter } from '../../base/async/emitter.ts';
import type { ApiKeys } from '../access/keys/api-keys.ts';
import type { Author } from '../access/author.ts';
import type { Credentials } from '../access/keys/credentials.ts';
import type { Quotas } from '../access/quotas.ts';
import type { Store } from '../storage/store.ts';
import type { WriteTransaction } from '../storage/tables.ts';
import type { PartFactsSources } from './part-facts.ts';
import type { Part } from './parts.ts';

/** What the calls about the fleet need. */
export interface FleetOptions extends PartFactsSources {
  readonly store: Store;
  /** Emits after an organization, location, machine or part was created, changed or deleted. */
  readonly changes: Emitter;
  readonly keys: ApiKeys;
  readonly credentials: Credentials;
  readonly quotas: Quotas;
  readonly configs: ChangedConfigs;
}

/** Stores configurations that arrive together with other properties of a part. */
export interface ChangedConfigs {
  /**
   * Makes a text the part's configuration, in the transaction that read `part`; sends it to the part after the commit.
   * @returns the part afterwards; `part` itself if it had this text already
   */
  append(
    part: Part,
    version: { readonly text: string; readonly author: Author; readonly note: ''; readonly summary: '' },
    tx: WriteTransaction,
  ): Promise<Part>;
  /** To be called after the commit of a change without a configuration. */
  changed(partId: string): void;
}
