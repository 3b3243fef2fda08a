import { ArmatureError } from '../../base/errors.ts';
import type { Queries } from '../storage/tables.ts';
import type { Caller } from './caller.ts';

/** How much callers with keys may create. */
export interface Quotas {
  /** Created by keys of one organization, or of organizations that those created. */
  readonly organizations: number;
  /** This and the following apply to each organization. */
  readonly locations: number;
  readonly machines: number;
  readonly parts: number;
  readonly keys: number;
}

/** More than a fleet needs, and no more than a hub can handle. */
export const DEFAULT_QUOTAS: Quotas = {
  organizations: 100,
  locations: 2_000,
  machines: 20_000,
  parts: 40_000,
  keys: 2_000,
};

type Counted = Exclude<keyof Quotas, 'organizations'>;

/**
 * Checks that an organization may have one more of something. The owner of this computer has no limits.
 * @throws {ArmatureError} `quota.exceeded`
 */
export async function requireQuota(
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
 * The organization whose quota applies when a key of `organizationId` creates an organization: the first in its chain
 * of creators.
 * @throws {ArmatureError} `quota.exceeded` if it has created as many as it may
 */
export async function quotaOwner(quotas: Quotas, organizationId: string, db: Queries): Promise<string> {
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
    `${who} ${limit} ${what}, which is the most that keys may make. Delete some that nobody needs, or make more on the hub's own computer.`,
    { details: { quota: what, limit } },
  );
}
