/** What the page knows about a fleet, in the page's own words. Times are wall-clock, ms; undefined where there is none. */
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

/** What somebody is for one piece of the fleet, and for everything in it. */
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

/** A key as it is told once, and never again. */
export interface NewKey {
  readonly id: string;
  readonly secret: string;
}

/** What a hub says of itself and of who asks. */
export interface HubView {
  /** `embedded`: in the program of a machine. */
  readonly kind: 'alone' | 'embedded';
  readonly version: string;
  /** '' for a hub alone. */
  readonly ownPartId: string;
  /** PEM. */
  readonly authority: string;
  readonly fingerprint: string;
  /** '' where the caller may not know. */
  readonly data: string;
  readonly caller: {
    readonly isLocal: boolean;
    readonly keyId: string;
    readonly keyName: string;
    readonly roles: readonly RoleView[];
  };
  readonly refusals: readonly { readonly reason: string; readonly count: number }[];
}

/** One entry of a part's history, as short as an overview needs it. */
export interface ChangeView {
  readonly number: number;
  readonly at: number | undefined;
  readonly author: string;
  readonly summary: string;
  readonly tag: string;
}
