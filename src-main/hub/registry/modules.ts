import type { Selectable } from 'kysely';
import type { Clock } from '../../base/clock.ts';
import { ArmatureError } from '../../base/errors.ts';
import { nameTaken, notFound } from '../places/fleet-errors.ts';
import { newId } from '../places/ids.ts';
import type { NewEvent } from '../events/event-kinds.ts';
import type { EventLog } from '../events/event-log.ts';
import type { Store } from '../storage/store.ts';
import { isStoreFailure } from '../storage/store-failure.ts';
import type { ModuleFilesTable } from './tables.ts';
import type { Queries, WriteTransaction } from '../storage/tables.ts';
import { findModule, modelsOf, type ModuleRow } from './catalog.ts';
import { checkModuleName, moduleIdOf, noModule } from './module-ids.ts';
import type { ModuleModel } from './packages/package-check.ts';

/** A change of a module by its owner. Undefined fields stay as they are. */
export interface ModuleChange {
  readonly visibility?: ModuleRow['visibility'] | undefined;
  readonly description?: string | undefined;
  readonly url?: string | undefined;
  readonly entrypoint?: string | undefined;
  readonly firstRun?: string | undefined;
  readonly documentation?: string | undefined;
  readonly models?: readonly ModuleModel[] | undefined;
  /** Why it should no longer be used; '' makes it usable again. */
  readonly deprecated?: string | undefined;
}

export interface VersionTexts {
  readonly version: string;
  readonly models: readonly ModuleModel[];
  /** Markdown. */
  readonly readme: string;
  readonly entrypoint: string;
  /** '' for none. */
  readonly firstRun: string;
}

const MAX_TEXT_LENGTH = 10_000;
const MAX_DOCUMENT_LENGTH = 256 * 1024;

/** Stores the modules of a registry. {@link Registry} stores their versions. */
export class Modules {
  readonly #store: Store;
  readonly #clock: Clock;

  readonly #events: EventLog;

  constructor(store: Store, clock: Clock, events: EventLog) {
    this.#events = events;
    this.#store = store;
    this.#clock = clock;
  }

  /**
   * Creates a private module without versions.
   * @throws {ArmatureError} `call.bad_argument`, `fleet.name_taken`
   */
  async create(
    organization: { readonly id: string; readonly public_namespace: string | null },
    name: string,
  ): Promise<ModuleRow> {
    const now = this.#clock.now();
    const row: ModuleRow = withWords({
      id: newId(),
      organization_id: organization.id,
      namespace: organization.public_namespace ?? organization.id,
      name: checkModuleName(name),
      visibility: 'private',
      description: '',
      url: '',
      entrypoint: '',
      first_run: '',
      models: '[]',
      documentation: '',
      deprecated: '',
      deprecated_at: null,
      created_at: now,
      updated_at: now,
      words: '',
      apis: '',
    });
    await this.#unlessTaken(row, async (tx) => {
      await tx.insertInto('modules').values(row).execute();
      await this.#events.append([moduleChanged(row)], tx);
    });
    return row;
  }

  /** @throws {ArmatureError} `call.not_found` */
  async get(moduleId: string, db: Queries = this.#store.db): Promise<ModuleRow> {
    const row = await findModule(db, moduleId);
    if (row === undefined) throw noModule(moduleId);
    return row;
  }

  /** @throws {ArmatureError} `call.not_found`, `call.too_large` */
  async update(moduleId: string, change: ModuleChange): Promise<void> {
    await this.#store.transaction(async (tx) => {
      const row = await this.get(moduleId, tx);
      await this.change(row, change, tx);
      await this.#events.append([moduleChanged(row)], tx);
    });
  }

  /** Like {@link update}, within a transaction that has read `row`; adds no event. */
  async change(row: ModuleRow, change: ModuleChange, tx: WriteTransaction): Promise<void> {
    requireLength('description', change.description, MAX_TEXT_LENGTH);
    requireLength('address', change.url, MAX_TEXT_LENGTH);
    requireLength('documentation', change.documentation, MAX_DOCUMENT_LENGTH);
    const changed = withWords({
      ...row,
      visibility: change.visibility ?? row.visibility,
      description: change.description ?? row.description,
      url: change.url ?? row.url,
      entrypoint: change.entrypoint ?? row.entrypoint,
      first_run: change.firstRun ?? row.first_run,
      documentation: change.documentation ?? row.documentation,
      models: change.models === undefined ? row.models : JSON.stringify(change.models),
      deprecated: change.deprecated ?? row.deprecated,
      deprecated_at:
        change.deprecated === undefined ? row.deprecated_at : change.deprecated === '' ? null : this.#clock.now(),
      updated_at: this.#clock.now(),
    });
    await tx.updateTable('modules').set(changed).where('id', '=', row.id).execute();
  }

  /**
   * Changes the id of a module. Packages are signed for one id, so this works only while the module has no versions.
   * @throws {ArmatureError} `call.not_found`, `call.bad_argument`, `call.failed_precondition`, `fleet.name_taken`
   */
  async rename(
    moduleId: string,
    to: Partial<Pick<ModuleRow, 'namespace' | 'name' | 'organization_id'>>,
  ): Promise<ModuleRow> {
    const before = await this.get(moduleId);
    const row = withWords({ ...before, ...to, updated_at: this.#clock.now() });
    checkModuleName(row.name);
    await this.#unlessTaken(row, async (tx) => {
      const published = await tx
        .selectFrom('module_versions')
        .select('version')
        .where('module_id', '=', row.id)
        .executeTakeFirst();
      if (published !== undefined) {
        throw new ArmatureError(
          'call.failed_precondition',
          `The module ${moduleId} has published versions (${published.version}), whose signatures name it. Create another module and publish there.`,
        );
      }
      await tx.updateTable('modules').set(row).where('id', '=', row.id).execute();
      await this.#events.append([moduleChanged(before), moduleChanged(row)], tx);
    });
    return row;
  }

  /** Deletes a module with its versions. */
  async delete(row: ModuleRow, tx: WriteTransaction): Promise<void> {
    await tx.deleteFrom('modules').where('id', '=', row.id).execute();
    await this.#events.append([moduleChanged(row)], tx);
  }

  /** The package of a version for a platform. @throws {ArmatureError} `call.not_found` */
  async file(id: string, version: string, platform: string): Promise<Selectable<ModuleFilesTable>> {
    const row = await this.#store.db
      .selectFrom('module_files')
      .selectAll()
      .where('module_id', '=', id)
      .where('version', '=', version)
      .where('platform', '=', platform)
      .executeTakeFirst();
    if (row === undefined) throw notFound('package', `${version} ${platform}`);
    return row;
  }

  /** The texts and models of all versions. */
  async versionTexts(id: string): Promise<VersionTexts[]> {
    const rows = await this.#store.db
      .selectFrom('module_versions')
      .select(['version', 'models', 'readme', 'entrypoint', 'first_run'])
      .where('module_id', '=', id)
      .execute();
    return rows.map(({ first_run, ...row }) => ({ ...row, models: modelsOf(row.models), firstRun: first_run }));
  }

  async #unlessTaken(row: ModuleRow, work: (tx: WriteTransaction) => Promise<unknown>): Promise<void> {
    try {
      await this.#store.transaction(work);
    } catch (thrown) {
      if (!isStoreFailure(thrown, 'unique')) throw thrown;
      throw nameTaken('module', row.name, `The namespace "${row.namespace}"`);
    }
  }
}

function moduleChanged(row: ModuleRow): NewEvent {
  return { kind: 'module.changed', organizationId: row.organization_id, payload: { moduleId: moduleIdOf(row) } };
}

function requireLength(what: string, text: string | undefined, most: number): void {
  if (text === undefined || text.length <= most) return;
  throw new ArmatureError(
    'call.too_large',
    `The ${what} of the module has ${text.length} characters; at most ${most} are kept.`,
  );
}

/** Fills in the columns that are searched. */
function withWords(row: ModuleRow): ModuleRow {
  const models = modelsOf(row.models);
  const words = [moduleIdOf(row), row.description, ...models.flatMap(({ model, description }) => [model, description])];
  return {
    ...row,
    words: words.join('\n').toLowerCase(),
    apis: `\n${[...new Set(models.map(({ api }) => api))].join('\n')}\n`,
  };
}
