import type {
  Location as LocationMessage,
  Organization as OrganizationMessage,
  Robot,
  RobotPart,
  SharedSecret,
} from '../../../../proto/gen/core/app/v1/app.ts';
import { SharedSecret_State } from '../../../../proto/gen/core/app/v1/app.ts';
import type { PartSecret } from '../../access/keys/part-secrets.ts';
import { addressOf } from '../../places/address.ts';
import type { Location } from '../locations.ts';
import type { SeenOnline } from '../online-state.ts';
import type { Machine } from '../machines.ts';
import type { Organization } from '../organizations.ts';
import type { Part } from '../parts.ts';

/** A stored JSON document as an object for the wire. */
export function structOf(text: string): Record<string, unknown> {
  return JSON.parse(text) as Record<string, unknown>;
}

export function organizationMessage(row: Organization): OrganizationMessage {
  return {
    id: row.id,
    name: row.name,
    createdOn: new Date(row.created_at),
    publicNamespace: row.public_namespace ?? '',
    defaultRegion: row.region,
    cid: row.cid ?? undefined,
  };
}

export function locationMessage(row: Location, organization: Organization, robotCount: number): LocationMessage {
  return {
    id: row.id,
    name: row.name,
    createdOn: new Date(row.created_at),
    parentLocationId: row.parent_id ?? '',
    organizations: [{ organizationId: organization.id, primary: true }],
    robotCount,
    config: { region: row.region },
    primaryOrgIdentity: { id: organization.id, name: organization.name },
  };
}

/**
 * @param seen online state of its main part
 * @param lastAccess the latest of all its parts
 */
export function robotMessage(row: Machine, seen: SeenOnline, lastAccess: Date | undefined): Robot {
  return {
    id: row.id,
    name: row.name,
    location: row.location_id,
    createdOn: new Date(row.created_at),
    ...seen,
    lastAccess,
  };
}

/** The data for the message of a part. */
export interface PartFacts {
  readonly part: Part;
  readonly machine: Machine;
  readonly seen: SeenOnline;
  /** Its configuration; '' if it has none. */
  readonly text: string;
  readonly secrets: readonly PartSecret[];
  /** A secret that was just created; this is the only time that it is shown. */
  readonly newSecret?: { readonly id: string; readonly secret: string };
}

export function partMessage({ part, machine, seen, text, secrets, newSecret }: PartFacts): RobotPart {
  const fqdn = addressOf({
    machineLabel: machine.dns_label,
    partLabel: part.dns_label,
    isMain: part.is_main === 1,
    locationId: machine.location_id,
  });
  return {
    id: part.id,
    name: part.name,
    secret: newSecret?.secret ?? '',
    robot: part.machine_id,
    robotConfig: configStruct(text),
    mainPart: part.is_main === 1,
    fqdn,
    dnsName: fqdn,
    localFqdn: fqdn,
    locationId: machine.location_id,
    createdOn: new Date(part.created_at),
    secrets: secrets.map((secret) => secretMessage(secret, newSecret)),
    lastUpdated: new Date(part.updated_at),
    ...seen,
    robotConfigJson: configText(text),
  };
}

/** A configuration as text; a part that has none yet has an empty one. */
export function configText(text: string): string {
  return text === '' ? '{}' : text;
}

function configStruct(text: string): Record<string, unknown> {
  return structOf(configText(text).replace(/^\uFEFF/, ''));
}

function secretMessage(secret: PartSecret, fresh: PartFacts['newSecret']): SharedSecret {
  return {
    id: secret.id,
    secret: secret.id === fresh?.id ? fresh.secret : '',
    createdOn: new Date(secret.created_at),
    state: SharedSecret_State.ENABLED,
  };
}
