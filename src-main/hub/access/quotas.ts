import { ArmatureError } from '../../base/errors.ts';
import type { Queries } from '../storage/tables.ts';
import type { Caller } from './caller.ts';

/** How much may be made with keys. */
export interface Quotas {
  /** By keys of one organization, and by keys of those that these made. */
  readonly organizations: number;
  /** The rest is for each organization. */
  readonly locations: number;
  readonly machines: number;
  readonly parts: number;
  readonly keys: number;
}

/** Far beyond what a fleet needs, and not beyond what a hub can carry. */
export const usualQuotas: Quotas = {
  organizations: 100,
  locations: 2_000,
  machines: 20_000,
  parts: 40_000,
  keys: 2_000,
};

type Counted = Exclude<keyof Quotas, 'organizations'>;

/**
 * Makes sure that an organization has room for one more of something. Who owns this computer makes as many as they like.
 * @throws {ArmatureError} `quota.exceeded`
 */
export async function requireRoom(
  quotas: Quotas,
  what: Counted,
  organizationId: string,
  { grants }: Pick<Caller, 'grants'>,
  db: Queries,
): Promise<void> {
  if (grants === 'everything') return;
  const found = await count(what, organizationId, db);
  if (found >= quotas[what]) throw exceeded(what, quotas[what], 'The organization has');
}

/**
 * Whose quota an organization counts to that a key of `organizationId` makes: the one that was there first.
 * @throws {ArmatureError} `quota.exceeded` where it has made as many as it may
 */
export async function makerOfOrganization(quotas: Quotas, organizationId: string, db: Queries): Promise<string> {
  const row = await db
    .selectFrom('organizations')
    .select('made_by')
    .where('id', '=', organizationId)
    .executeTakeFirst();
  const maker = row?.made_by ?? organizationId;
  const found = await db
    .selectFrom('organizations')
    .select((query) => query.fn.countAll<number>().as('count'))
    .where('made_by', '=', maker)
    .executeTakeFirstOrThrow();
  if (Number(found.count) >= quotas.organizations) {
    throw exceeded(
      'organizations',
      quotas.organizations,
      'Keys of this organization, and of those that they made, have made',
    );
  }
  return maker;
}

async function count(what: Counted, organizationId: string, db: Queries): Promise<number> {
  const machines = db
    .selectFrom('machines')
    .innerJoin('locations', 'locations.id', 'machines.location_id')
    .where('locations.organization_id', '=', organizationId);
  const queries = {
    keys: () => db.selectFrom('api_keys').where('organization_id', '=', organizationId),
    locations: () => db.selectFrom('locations').where('organization_id', '=', organizationId),
    machines: () => machines,
    parts: () => machines.innerJoin('parts', 'parts.machine_id', 'machines.id'),
  } as const;
  const counting = queries[what]() as ReturnType<(typeof queries)['keys']>;
  const row = await counting.select((query) => query.fn.countAll<number>().as('count')).executeTakeFirstOrThrow();
  return Number(row.count);
}

function exceeded(what: keyof Quotas, limit: number, who: string): ArmatureError {
  return new ArmatureError(
    'quota.exceeded',
    `${who} ${limit} ${what}, which is as many as keys may make. Delete some that nobody needs, or make more on the hub's own computer.`,
    { details: { quota: what, limit } },
  );
}
