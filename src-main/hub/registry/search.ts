import { sql, type Expression, type ExpressionBuilder, type SqlBool } from 'kysely';
import { canonicalApi } from '../../../proto/config/names.ts';
import { ArmatureError } from '../../base/errors.ts';
import type { Caller } from '../access/caller.ts';
import { organizationPlace } from '../places/place.ts';
import { escaped, escapeLike } from '../storage/like.ts';
import type { Store } from '../storage/store.ts';
import type { Tables } from '../storage/tables.ts';
import { moduleIdOf } from './module-ids.ts';

/** The modules to search for. */
export interface ModuleQuery {
  /** Each word must occur in the id, the description or a model. */
  readonly text: string;
  /** Empty for all. */
  readonly namespaces: readonly string[];
  /** Only modules with a model of this API; '' for all. */
  readonly api: string;
  /** Only modules of this organization; undefined for all. */
  readonly organizationId?: string | undefined;
  readonly visibilities?: readonly string[] | undefined;
  /** Whether deprecated modules are included. */
  readonly includesDeprecated?: boolean | undefined;
  readonly limit: number;
  readonly offset: number;
}

export interface FoundModules {
  /** `namespace:name`, best match first. */
  readonly ids: readonly string[];
  readonly total: number;
}

const MAX_WORDS = 10;

type Where = ExpressionBuilder<Tables, 'modules'>;

/**
 * Finds modules that the caller may use. Order: the text is the id, is the name, begins the name, is in the name,
 * others; within each group by name.
 * @throws {ArmatureError} `call.bad_argument` for a malformed API
 */
export async function searchModules(store: Store, caller: Caller, query: ModuleQuery): Promise<FoundModules> {
  const text = query.text.trim().toLowerCase().slice(0, 200);
  const words = text
    .split(/\s+/)
    .filter((word) => word !== '')
    .slice(0, MAX_WORDS);
  const seen = readableOrganizations(caller);
  const wanted = (where: Where): Expression<SqlBool> =>
    where.and([
      ...(seen === 'all'
        ? []
        : [
            where.or([
              where('visibility', '=', 'public'),
              ...(seen.length > 0 ? [where('organization_id', 'in', seen)] : []),
            ]),
          ]),
      ...words.map((word) => sql<SqlBool>`words LIKE ${escapeLike(word)} ESCAPE '!'`),
      ...(query.namespaces.length > 0 ? [where('namespace', 'in', query.namespaces)] : []),
      ...(query.api === '' ? [] : [sql<SqlBool>`apis LIKE ${`%\n${escaped(apiOf(query.api))}\n%`} ESCAPE '!'`]),
      ...(query.organizationId === undefined ? [] : [where('organization_id', '=', query.organizationId)]),
      ...(query.visibilities === undefined ? [] : [where('visibility', 'in', query.visibilities as never)]),
      ...(query.includesDeprecated === true ? [] : [where('deprecated', '=', '')]),
    ]);
  const rank = sql<number>`CASE
    WHEN namespace || ':' || name = ${text} THEN 0
    WHEN name = ${text} THEN 1
    WHEN name LIKE ${`${escaped(text)}%`} ESCAPE '!' THEN 2
    WHEN name LIKE ${escapeLike(text)} ESCAPE '!' THEN 3
    ELSE 4 END`;
  const [rows, { total }] = await Promise.all([
    store.db
      .selectFrom('modules')
      .select(['namespace', 'name'])
      .where(wanted)
      .orderBy(rank)
      .orderBy('name')
      .orderBy('namespace')
      .limit(query.limit)
      .offset(query.offset)
      .execute(),
    store.db
      .selectFrom('modules')
      .select((select) => select.fn.countAll<number>().as('total'))
      .where(wanted)
      .executeTakeFirstOrThrow(),
  ]);
  return { ids: rows.map(moduleIdOf), total: Number(total) };
}

/** Organizations of which the caller may use all modules, whatever their visibility. */
function readableOrganizations(caller: Caller): string[] | 'all' {
  if (caller.grants === 'everything') return 'all';
  const ids = new Set(caller.grants.map(({ place }) => place.organizationId));
  return [...ids].filter((id) => caller.may('module.read', organizationPlace(id)));
}

function apiOf(text: string): string {
  const api = canonicalApi(text);
  if (api !== undefined) return api;
  throw new ArmatureError(
    'call.bad_argument',
    `The API "${text.slice(0, 120)}" is not valid: write it as core:component:motor.`,
  );
}
