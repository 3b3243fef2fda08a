import type { Selectable } from 'kysely';
import type { Clock } from '../../base/clock.ts';
import { forgetResource } from '../access/forget-resource.ts';
import type { Store } from '../storage/store.ts';
import { isStoreFailure } from '../storage/store-failure.ts';
import type { OrganizationsTable } from './tables.ts';
import type { Queries, WriteTransaction } from '../storage/tables.ts';
import { counted, hasChildren, nameTaken, notFound } from '../places/fleet-errors.ts';
import { newId } from '../places/ids.ts';
import { checkNamespace, checkTitle } from '../places/names.ts';

export type Organization = Selectable<OrganizationsTable>;

/** Changes to an organization; undefined means no change. */
export interface OrganizationChange {
  readonly name?: string | undefined;
  /** '' removes it. */
  readonly publicNamespace?: string | undefined;
  readonly region?: string | undefined;
  readonly cid?: string | undefined;
  readonly metadata?: string | undefined;
}

/** The organizations of this hub. */
export class Organizations {
  readonly #store: Store;
  readonly #clock: Clock;

  constructor(store: Store, clock: Clock) {
    this.#store = store;
    this.#clock = clock;
  }

  /**
   * @param madeBy organization whose quota it counts towards; undefined if no key created it
   * @throws {ArmatureError} `call.bad_argument` for the name
   */
  async create(name: string, madeBy: string | undefined, tx: WriteTransaction): Promise<Organization> {
    const row: Organization = {
      id: newId(),
      name: checkTitle('the name of the organization', name),
      public_namespace: null,
      region: '',
      cid: null,
      metadata: '{}',
      created_at: this.#clock.now(),
      made_by: madeBy ?? null,
    };
    await tx.insertInto('organizations').values(row).execute();
    return row;
  }

  list(): Promise<Organization[]> {
    return this.#store.db.selectFrom('organizations').selectAll().orderBy('created_at').orderBy('id').execute();
  }

  /** @throws {ArmatureError} `call.not_found` */
  async get(id: string, db: Queries = this.#store.db): Promise<Organization> {
    const row = await db.selectFrom('organizations').selectAll().where('id', '=', id).executeTakeFirst();
    if (row === undefined) throw notFound('organization', id);
    return row;
  }

  /** The organization with a public namespace. @throws {ArmatureError} `call.not_found` */
  async ofNamespace(namespace: string): Promise<Organization> {
    const row = await this.#store.db
      .selectFrom('organizations')
      .selectAll()
      .where('public_namespace', '=', namespace)
      .executeTakeFirst();
    if (row === undefined) throw notFound('namespace', namespace);
    return row;
  }

  /**
   * @param forId organization that wants it; '' for a new one
   * @throws {ArmatureError} `call.bad_argument` for an invalid namespace
   */
  async isNamespaceFree(namespace: string, forId: string): Promise<boolean> {
    const taken = await this.#store.db
      .selectFrom('organizations')
      .select('id')
      .where('public_namespace', '=', checkNamespace(namespace))
      .executeTakeFirst();
    return taken === undefined && !(await isNamespaceOfOthers(forId, namespace, this.#store.db));
  }

  /** @throws {ArmatureError} `call.not_found`, `call.bad_argument`, `fleet.name_taken` */
  async update(id: string, change: OrganizationChange): Promise<Organization> {
    const { name, publicNamespace } = change;
    const values = {
      name: name === undefined ? undefined : checkTitle('the name of the organization', name),
      public_namespace:
        publicNamespace === undefined ? undefined : publicNamespace === '' ? null : checkNamespace(publicNamespace),
      region: change.region,
      cid: change.cid,
      metadata: change.metadata,
    };
    return this.#store.transaction(async (tx) => {
      await this.get(id, tx);
      if (values.public_namespace != null && (await isNamespaceOfOthers(id, values.public_namespace, tx))) {
        throw nameTaken('public namespace', values.public_namespace, 'Another organization');
      }
      try {
        if (Object.values(values).some((value) => value !== undefined)) {
          await tx.updateTable('organizations').set(values).where('id', '=', id).execute();
        }
      } catch (thrown) {
        if (!isStoreFailure(thrown, 'unique')) throw thrown;
        throw nameTaken('public namespace', publicNamespace ?? '', 'Another organization');
      }
      return this.get(id, tx);
    });
  }

  /** @throws {ArmatureError} `call.not_found`, `fleet.has_children` */
  async delete(id: string): Promise<void> {
    await this.#store.transaction(async (tx) => {
      const { name } = await this.get(id, tx);
      const { count } = await tx
        .selectFrom('locations')
        .select((query) => query.fn.countAll<number>().as('count'))
        .where('organization_id', '=', id)
        .executeTakeFirstOrThrow();
      if (count > 0) throw hasChildren('organization', name, counted(count, 'location'));
      const modules = await tx
        .selectFrom('modules')
        .select((query) => query.fn.countAll<number>().as('count'))
        .where('organization_id', '=', id)
        .executeTakeFirstOrThrow();
      if (modules.count > 0) throw hasChildren('organization', name, counted(modules.count, 'module'));
      const packages = await tx
        .selectFrom('packages')
        .select((query) => query.fn.countAll<number>().as('count'))
        .where('organization_id', '=', id)
        .executeTakeFirstOrThrow();
      if (packages.count > 0) throw hasChildren('organization', name, counted(packages.count, 'package'));
      await forgetResource(id, tx);
      await tx.deleteFrom('organizations').where('id', '=', id).execute();
    });
  }
}

/**
 * Whether another organization publishes in this namespace. Modules keep the namespace that they were created with, and
 * modules of an organization without a namespace use its id.
 */
async function isNamespaceOfOthers(id: string, namespace: string, db: Queries): Promise<boolean> {
  const [module, organization] = await Promise.all([
    db
      .selectFrom('modules')
      .select('id')
      .where('namespace', '=', namespace)
      .where('organization_id', '!=', id)
      .executeTakeFirst(),
    db.selectFrom('organizations').select('id').where('id', '=', namespace).executeTakeFirst(),
  ]);
  return module !== undefined || (organization !== undefined && organization.id !== id);
}
