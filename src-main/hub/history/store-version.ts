import type { Fleet } from '../fleet/fleet.ts';
import type { Store } from '../storage/store.ts';
import type { NewVersion, PartVersion, PartVersions } from './part-versions.ts';

export interface StoreVersionParts {
  readonly store: Store;
  readonly fleet: Fleet;
  readonly versions: PartVersions;
  readonly now: () => number;
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

/**
 * Compare and set: the text becomes the part's configuration, durably, if what
 * it was written from still is.
 * @throws {ArmatureError} `call.not_found`, `call.too_large`, `config.invalid`
 */
export function storeVersion(parts: StoreVersionParts, request: VersionRequest): Promise<StoreOutcome> {
  const { store, fleet, versions, now } = parts;
  return store.transaction(async (tx): Promise<StoreOutcome> => {
    const part = await fleet.parts.get(request.partId, tx);
    const current = part.version === 0 ? undefined : await versions.get(part.id, part.version, tx);
    const { baseRevision } = request;
    if (current !== undefined && baseRevision !== undefined && current.revision !== baseRevision) {
      return { kind: 'conflict', version: current };
    }
    const version = await versions.append(part, request, tx);
    const isNew = version.number !== part.version;
    if (isNew) await fleet.parts.touch(part.id, now(), tx);
    return { kind: 'stored', version, isNew };
  });
}
