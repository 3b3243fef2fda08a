import { mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { Clock, Timer } from '../../base/clock.ts';
import { toArmatureError } from '../../base/errors.ts';
import type { Logger } from '../../base/logger.ts';
import { Mutex } from '../../base/async/mutex.ts';

/** Folder that records who uses each module: one folder per module, one file per machine. No module has this name. */
const USERS = '.users';
/** File next to those of a module's users: for how many hours it has been unused. */
const UNUSED_HOURS = 'unused-hours';
const HOUR_MS = 3_600_000;
/** How long the data of a module is kept after it is no longer configured. */
export const KEPT_HOURS = 7 * 24;

export interface DataFoldersOptions {
  readonly clock: Clock;
  readonly logger: Logger;
  /** The server's home; everything it stores is below it. */
  readonly home: string;
  /** The part that the modules belong to; '' for a machine without a name of its own there. */
  readonly owner: () => string;
  /** Distinguishes this machine from others with the same home. */
  readonly machine: string;
}

/**
 * The folders where modules keep data across versions. Data is never removed while a machine of this home has the
 * module configured, even if the module does not start. Afterwards it is removed when servers have run for seven days
 * without it. Running hours are counted, because a clock may be changed.
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

  /** Creates a module's folder before the module starts. Rejects if that is not possible. */
  async make(module: string): Promise<string> {
    const folder = this.folderOf(module);
    await mkdir(folder, { recursive: true, mode: 0o700 });
    await this.#use(module);
    return folder;
  }

  /** Sets the configured modules; all others count as unused. */
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
      // If it cannot be checked, it is kept.
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

  /** Records that this machine uses its configured modules, as far as they have data. */
  async #sign(): Promise<void> {
    const known = new Set(await namesIn(this.#root));
    for (const module of known) {
      if (module === USERS) continue;
      if (this.#configured.has(module)) await this.#use(module);
      else await rm(path.join(this.#usersOf(module), this.#options.machine), { force: true });
    }
  }

  /** Called every hour: removes data that has been unused for long enough. */
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
      // Renamed first, so that a module that returns never finds a half-removed folder.
      const removed = path.join(this.#root, USERS, `${module}.removed`);
      await rename(this.folderOf(module), removed).catch(() => undefined);
      await rm(removed, { recursive: true, force: true });
      await rm(users, { recursive: true, force: true });
      this.#options.logger.info(`data of module ${module}, which has not been configured for 7 days, was removed`);
    }
  }
}

/** Empty if the folder does not exist. */
async function namesIn(folder: string): Promise<string[]> {
  return (await readdir(folder).catch(() => [])).sort();
}
