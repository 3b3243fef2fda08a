/* The page's own types for a fleet. Times are wall-clock ms; undefined if there is none. */

export interface OrganizationView {
  readonly id: string;
  readonly name: string;
}

export interface LocationView {
  readonly id: string;
  readonly name: string;
  readonly organizationId: string;
  /** '' at the top of its organization. */
  readonly parentId: string;
  readonly machineCount: number;
}

export interface PlacesView {
  readonly organizations: readonly OrganizationView[];
  readonly locations: readonly LocationView[];
}

export type RoleName = 'owner' | 'operator' | 'part';
export type RolePlaceKind = 'organization' | 'location' | 'machine' | 'part';

/** A role for one place of the fleet and for everything in it. */
export interface RoleView {
  readonly role: RoleName;
  readonly kind: RolePlaceKind;
  readonly id: string;
}

export interface KeyView {
  readonly id: string;
  readonly name: string;
  readonly organizationId: string;
  readonly createdAt: number | undefined;
  readonly roles: readonly RoleView[];
}

/** A new key. The hub tells the secret only once. */
export interface NewKey {
  readonly id: string;
  readonly secret: string;
}

/** What a hub says about itself and about the caller. */
export interface HubView {
  /** `embedded`: in the program of a machine. */
  readonly kind: 'alone' | 'embedded';
  readonly version: string;
  /** '' for a hub without a machine. */
  readonly ownPartId: string;
  /** PEM. */
  readonly authority: string;
  readonly fingerprint: string;
  /** '' if the caller may not know. */
  readonly data: string;
  readonly caller: {
    readonly isLocal: boolean;
    readonly keyId: string;
    readonly keyName: string;
    readonly roles: readonly RoleView[];
  };
  readonly refusals: readonly { readonly reason: string; readonly count: number }[];
}

/** One entry of a part's history, shortened for an overview. */
export interface ChangeView {
  readonly number: number;
  readonly at: number | undefined;
  readonly author: string;
  readonly summary: string;
  /** Full names of what it changed. */
  readonly subjects: readonly string[];
  readonly tag: string;
}
