import { mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { Clock, Timer } from '../../base/clock.ts';
import { toArmatureError } from '../../base/errors.ts';
import type { Logger } from '../../base/logger.ts';
import { Mutex } from '../../base/async/mutex.ts';

/** Folder for the users of each module: one folder a module, one file a machine. Names of modules begin differently. */
const USERS = '.users';
/** File beside those of a module's users: for how many hours it has been unused. */
const UNUSED_HOURS = 'unused-hours';
const HOUR_MS = 3_600_000;
/** Data of a module that is not configured any more is kept this long. */
export const KEPT_HOURS = 7 * 24;

export interface DataFoldersOptions {
  readonly clock: Clock;
  readonly logger: Logger;
  /** Everything of the server is below it. */
  readonly home: string;
  /** Part whose modules they are; '' for a machine that has no name of its own there. */
  readonly owner: () => string;
  /** Distinguishes this machine from others with the same home. */
  readonly machine: string;
}

/**
 * Where modules keep data that survives a new version. Never removed while some machine of this
 * home has the module configured, whether it starts or not, and then only when servers have run for
 * seven days without: hours of running are counted, since a clock may be set.
 */
export class DataFolders {
  readonly #options: DataFoldersOptions;
  #configured: ReadonlySet<string> = new Set();
  #timer: Timer | undefined;
  readonly #turns = new Mutex();

  constructor(options: DataFoldersOptions) {
    this.#options = options;
  }

  folderOf(module: string): string {
    return path.join(this.#root, module);
  }

  /** Makes a module's folder, before it starts. Rejects where that is not possible. */
  async make(module: string): Promise<string> {
    const folder = this.folderOf(module);
    await mkdir(folder, { recursive: true, mode: 0o700 });
    await this.#use(module);
    return folder;
  }

  /** These are configured now, and no others. */
  configure(modules: readonly string[]): void {
    this.#configured = new Set(modules);
    this.#timer ??= this.#options.clock.every(HOUR_MS, () => this.#inTurn(() => this.#age()));
    this.#inTurn(() => this.#sign());
  }

  close(): Promise<void> {
    this.#timer?.cancel();
    return this.#turns.idle();
  }

  get #root(): string {
    const { home, owner } = this.#options;
    const part = owner();
    return path.join(home, 'module-data', part === '' ? 'local' : part.replace(/[^\w-]/g, '_'));
  }

  #usersOf(module: string): string {
    return path.join(this.#root, USERS, module);
  }

  #inTurn(work: () => Promise<void>): void {
    this.#turns.run(work).catch((thrown: unknown) => {
      // What cannot be looked after is kept.
      this.#options.logger.warn(
        `Data of modules in ${this.#root} is not looked after: ${toArmatureError(thrown).message}`,
      );
    });
  }

  async #use(module: string): Promise<void> {
    const users = this.#usersOf(module);
    await mkdir(users, { recursive: true, mode: 0o700 });
    await writeFile(path.join(users, this.#options.machine), '', { mode: 0o600 });
    await rm(path.join(users, UNUSED_HOURS), { force: true });
  }

  /** Records that this machine uses the modules that it has configured, if they have data. */
  async #sign(): Promise<void> {
    const known = new Set(await namesIn(this.#root));
    for (const module of known) {
      if (module === USERS) continue;
      if (this.#configured.has(module)) await this.#use(module);
      else await rm(path.join(this.#usersOf(module), this.#options.machine), { force: true });
    }
  }

  /** Called each hour: removes data that has been unused for long enough. */
  async #age(): Promise<void> {
    for (const module of await namesIn(path.join(this.#root, USERS))) {
      const users = this.#usersOf(module);
      const signed = (await namesIn(users)).filter((name) => name !== UNUSED_HOURS);
      if (signed.length > 0 || this.#configured.has(module)) continue;
      const hours = Number(await readFile(path.join(users, UNUSED_HOURS), 'utf8').catch(() => '0')) + 1;
      if (hours < KEPT_HOURS || !Number.isFinite(hours)) {
        await writeFile(path.join(users, UNUSED_HOURS), String(Number.isFinite(hours) ? hours : 0), { mode: 0o600 });
        continue;
      }
      // Out of the way first: half of a folder must not be found by a module that comes back.
      const removed = path.join(this.#root, USERS, `${module}.removed`);
      await rename(this.folderOf(module), removed).catch(() => undefined);
      await rm(removed, { recursive: true, force: true });
      await rm(users, { recursive: true, force: true });
      this.#options.logger.info(`data of module ${module}, which has not been configured for 7 days, was removed`);
    }
  }
}

/** None where the folder is not there. */
async function namesIn(folder: string): Promise<string[]> {
  return (await readdir(folder).catch(() => [])).sort();
}
