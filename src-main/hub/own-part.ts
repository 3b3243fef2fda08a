import { ArmatureError } from '../base/errors.ts';
import type { Fleet } from './fleet/fleet.ts';
import { RESOURCE_NAME } from '../../proto/config/names.ts';
import { readSetting } from './storage/settings.ts';
import type { Store } from './storage/store.ts';
import type { WriteTransaction } from './storage/tables.ts';

/** What an embedded hub needs to find its machine in its fleet. */
export interface OwnPart {
  /** Path of the configuration file. Each file is a separate part, or histories would mix. */
  readonly configPath: string;
  /** Name of the computer, made valid. */
  readonly machineName: string;
  /** Name of the file, made valid: distinguishes several machines of one computer. */
  readonly fileName: string;
}

/**
 * The part that this program runs. The first configuration file of a computer becomes the machine that the first start
 * created; any other file, or one whose machine was deleted, becomes a new machine.
 * @returns the id of the part
 * @throws {ArmatureError} `call.failed_precondition` if the fleet has no location
 */
export function claimOwnPart(store: Store, fleet: Fleet, own: OwnPart): Promise<string> {
  const setting = `own_part ${own.configPath}`;
  return store.transaction(async (tx) => {
    const known = await readSetting(tx, setting);
    if (known !== undefined && (await hasPart(known, tx))) return known;
    const partId = (await freshMainPart(tx)) ?? (await newMachine(fleet, own, tx));
    await tx.deleteFrom('settings').where('name', '=', setting).execute();
    await tx.insertInto('settings').values({ name: setting, value: partId }).execute();
    return partId;
  });
}

async function hasPart(id: string, tx: WriteTransaction): Promise<boolean> {
  return (await tx.selectFrom('parts').select('id').where('id', '=', id).executeTakeFirst()) !== undefined;
}

/** The part that the first start created, unless it is already in use. */
async function freshMainPart(tx: WriteTransaction): Promise<string | undefined> {
  const claims = await tx.selectFrom('settings').select('value').where('name', 'like', 'own_part %').execute();
  if (claims.length > 0) return undefined;
  const parts = await tx
    .selectFrom('parts')
    .leftJoin('part_presence', 'part_presence.part_id', 'parts.id')
    .select(['parts.id', 'parts.version', 'part_presence.last_seen_at'])
    .limit(2)
    .execute();
  const [only, another] = parts;
  const isFresh = only !== undefined && another === undefined && only.version === 0 && only.last_seen_at === null;
  return isFresh ? only.id : undefined;
}

async function newMachine(fleet: Fleet, { machineName, fileName }: OwnPart, tx: WriteTransaction): Promise<string> {
  const location = await tx.selectFrom('locations').select('id').orderBy('created_at').orderBy('id').executeTakeFirst();
  if (location === undefined) {
    throw new ArmatureError(
      'call.failed_precondition',
      'The fleet of this hub has no location to put this machine in: create one.',
    );
  }
  const names = await tx.selectFrom('machines').select('dns_label').where('location_id', '=', location.id).execute();
  const taken = new Set(names.map(({ dns_label }) => dns_label));
  const wanted = `${machineName}-${fileName}`.slice(0, 55);
  const base = RESOURCE_NAME.test(wanted) ? wanted.toLowerCase() : 'machine';
  let name = base;
  for (let count = 2; taken.has(name); count++) name = `${base}-${count}`;
  const machine = await fleet.machines.create(name, location.id, tx);
  const part = await tx.selectFrom('parts').select('id').where('machine_id', '=', machine.id).executeTakeFirstOrThrow();
  return part.id;
}
