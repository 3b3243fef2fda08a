/** Under which all machines of a hub have their names; the public SDKs want "local" in them (ruling 7). */
const DOMAIN = 'armature.local';

/** Names of what an address is made of. */
export interface AddressParts {
  readonly machineLabel: string;
  readonly partLabel: string;
  readonly isMain: boolean;
  readonly locationId: string;
}

/** A part's address: `<machine>.<location>.armature.local`, with the part's own name before it unless it is the main one. */
export function addressOf({ machineLabel, partLabel, isMain, locationId }: AddressParts): string {
  const machine = `${machineLabel}.${locationId}.${DOMAIN}`;
  return isMain ? machine : `${partLabel}.${machine}`;
}
