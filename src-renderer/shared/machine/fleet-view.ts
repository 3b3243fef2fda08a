/** What the page knows about a fleet, in the page's own words. Times are wall-clock, ms; undefined where there is none. */
import type { Resource } from '../../../proto/gen/core/status/v1/status.ts';

/** `awaiting`: it has never called its hub. */
export type PresenceState = 'online' | 'offline' | 'awaiting';

/** One computer of the fleet: a machine has one at least, its main part. */
export interface PartView {
  readonly partId: string;
  readonly partName: string;
  readonly isMain: boolean;
  readonly machineId: string;
  readonly machineName: string;
  readonly locationId: string;
  readonly organizationId: string;
  readonly state: PresenceState;
  /** Begin of the present time online, else of the latest. */
  readonly onlineSince: number | undefined;
  readonly lastSeen: number | undefined;
  /** When its program was started. */
  readonly startedAt: number | undefined;
  readonly version: string;
  readonly platform: string;
  readonly host: string;
  /** A file on it owns its configuration. */
  readonly ownsConfig: boolean;
  /** When it last said how it is. */
  readonly statusAt: number | undefined;
  readonly expected: number;
  readonly ready: number;
  readonly failed: number;
  /** Of the configuration that is meant to run; 0 where there is none. */
  readonly configNumber: number;
  /** Whether it ran that configuration when it last said so. */
  readonly hasConfig: boolean;
}

/** One part with its resources as it last told of them. */
export interface PartStatusView extends PartView {
  readonly resources: readonly Resource[];
}

/** Some parts as they are now: all of them in the first event, in the others those that changed. */
export interface FleetEvent {
  readonly isFirst: boolean;
  readonly parts: readonly PartView[];
  readonly removed: readonly string[];
  /** Names and places are worth reading again. */
  readonly hasNewPlaces: boolean;
}

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
