import { constants, watch, type FSWatcher } from 'node:fs';
import { access, stat } from 'node:fs/promises';
import path from 'node:path';
import type { Clock, Timer } from '../../base/clock.ts';
import type { ModuleConfig } from '../config/machine-config.ts';
import type { FilesFollower, FilesObserver, ModuleFiles, ModuleFilesSource } from './module-files.ts';

/** How often a file is polled if no event announces changes. */
const POLL_MS = 5_000;

/** Files of local modules, whose `executable_path` is a program on this computer. */
export class LocalFiles implements ModuleFilesSource {
  readonly #clock: Clock;
  readonly #home: string;

  /** @param home what `~/` stands for */
  constructor(clock: Clock, home: string) {
    this.#clock = clock;
    this.#home = home;
  }

  follow(module: ModuleConfig, _environment: unknown, observer: FilesObserver): FilesFollower {
    return new ProgramFollower(module, this.#home, this.#clock, observer);
  }
}

class ProgramFollower implements FilesFollower {
  readonly #path: string;
  readonly #version: string;
  readonly #clock: Clock;
  readonly #observer: FilesObserver;
  /** The problem while the program is missing: reported again only when it changes. */
  #trouble: string | undefined;
  #isThere = false;
  #watcher: FSWatcher | undefined;
  #timer: Timer | undefined;
  #isClosed = false;

  constructor(module: ModuleConfig, home: string, clock: Clock, observer: FilesObserver) {
    const written = module.executablePath;
    this.#path = written.startsWith('~/') ? path.join(home, written.slice(2)) : written;
    this.#version = module.version;
    this.#clock = clock;
    this.#observer = observer;
    void this.#check();
  }

  accepted(): void {
    // There is no other version to keep or drop.
  }

  rejected(): ModuleFiles | undefined {
    return undefined;
  }

  async refresh(): Promise<void> {
    await this.#check();
  }

  close(): void {
    this.#isClosed = true;
    this.#watchNothing();
  }

  async #check(): Promise<void> {
    const trouble = await problemOf(this.#path);
    if (this.#isClosed) return;
    if (trouble === undefined) {
      this.#watchNothing();
      this.#trouble = undefined;
      if (this.#isThere) return;
      this.#isThere = true;
      const executable = this.#path;
      this.#observer.onFiles({ version: this.#version, executable, root: path.dirname(executable) });
      return;
    }
    // A running program no longer needs its file; the next start reports it as missing.
    if (trouble !== this.#trouble && !this.#isThere) {
      this.#trouble = trouble;
      this.#observer.onMissing(trouble);
    }
    if (!this.#isThere) this.#watchForIt();
  }

  #watchForIt(): void {
    this.#timer ??= this.#clock.every(POLL_MS, () => void this.#check());
    if (this.#watcher !== undefined) return;
    try {
      this.#watcher = watch(path.dirname(this.#path), () => void this.#check());
      this.#watcher.on('error', () => {
        // Its folder is missing: polling notices when it is back.
        this.#watcher?.close();
        this.#watcher = undefined;
      });
    } catch {
      // The folder does not exist yet, or cannot be watched: polling is enough.
    }
  }

  #watchNothing(): void {
    this.#timer?.cancel();
    this.#timer = undefined;
    this.#watcher?.close();
    this.#watcher = undefined;
  }
}

/** What prevents a program from running, with the next step; undefined if nothing does. */
async function problemOf(file: string): Promise<string | undefined> {
  if (!path.isAbsolute(file)) {
    return `executable_path "${file}" is not absolute: write the whole path, beginning with / or ~/`;
  }
  let found;
  try {
    found = await stat(file);
  } catch (thrown) {
    const { code } = thrown as NodeJS.ErrnoException;
    if (code === 'ENOENT' || code === 'ENOTDIR') return `${file} is not there: build it, or correct executable_path`;
    if (code === 'EACCES')
      return `${file} may not be looked at by the user of this server: make its folders accessible`;
    return `${file} cannot be looked at (${String(code)})`;
  }
  if (found.isDirectory()) return `${file} is a folder: executable_path names the program in it`;
  if (!found.isFile()) return `${file} is no file: executable_path names a program`;
  try {
    await access(file, constants.X_OK);
  } catch {
    return `${file} is not executable for the user of this server: chmod +x ${file}`;
  }
  return undefined;
}
