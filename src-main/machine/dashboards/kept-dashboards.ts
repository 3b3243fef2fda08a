import { existsSync } from 'node:fs';
import { mkdir, readFile, rename } from 'node:fs/promises';
import path from 'node:path';
import { dashboardProblem } from '../../../proto/config/dashboards/check-dashboard.ts';
import { dashboardJson, readDashboardJson } from '../../../proto/config/dashboards/dashboard-json.ts';
import { inOrder } from '../../../proto/config/dashboards/dashboard-order.ts';
import type { Dashboard } from '../../../proto/gen/core/dashboard/v1/dashboard.ts';
import { Emitter } from '../../base/async/emitter.ts';
import { Mutex } from '../../base/async/mutex.ts';
import { withRevision } from '../../base/dashboards/dashboard-changes.ts';
import { ArmatureError, codeOf } from '../../base/errors.ts';
import { replaceFile } from '../../base/files/replace-file.ts';
import type { Logger } from '../../base/logger.ts';

/** The dashboards of a machine without a hub, in one file that is replaced as a whole. */
export class KeptDashboards {
  readonly #file: string;
  readonly #logger: Logger;
  readonly #changed = new Emitter();
  readonly #writing = new Mutex();
  #reading: Promise<Dashboard[]> | undefined;

  /** @param file its folder is created when there is something to store */
  constructor(file: string, logger: Logger) {
    this.#file = file;
    this.#logger = logger;
  }

  /**
   * All dashboards, in the order in which they are shown. What cannot be read is kept aside, with a message in the log.
   * @throws {ArmatureError} `file.unreadable` if the file is there, but may not be read or moved
   */
  async read(): Promise<readonly Dashboard[]> {
    this.#reading ??= this.#load();
    try {
      return await this.#reading;
    } catch (thrown) {
      // Read again next time: somebody may have given the right to.
      this.#reading = undefined;
      throw thrown;
    }
  }

  /** Calls back after each change. Returns an unsubscribe function. */
  onChange(listener: () => void): () => void {
    return this.#changed.on(listener);
  }

  /**
   * Changes them, one change at a time.
   * @param change gives all that are to be kept; nothing is stored if it throws
   * @throws {ArmatureError} `file.unwritable`, and what `change` throws
   */
  async change(change: (kept: readonly Dashboard[]) => readonly Dashboard[]): Promise<void> {
    await this.#writing.run(async () => {
      const next = inOrder(change(await this.read()));
      await mkdir(path.dirname(this.#file), { recursive: true, mode: 0o700 }).catch((cause: unknown) => {
        const message = `Dashboards cannot be kept in ${this.#file} (${reasonOf(cause)}). Set SVC_HOME to a folder that can be written.`;
        throw new ArmatureError('file.unwritable', message, { cause });
      });
      await this.#write(next);
      this.#reading = Promise.resolve(next);
    });
    this.#changed.emit();
  }

  async #load(): Promise<Dashboard[]> {
    let text: string;
    try {
      text = await readFile(this.#file, 'utf8');
    } catch (cause) {
      if (codeOf(cause) === 'ENOENT') return [];
      throw this.#unreadable(cause);
    }
    const { dashboards, problem } = readFileText(text);
    if (problem !== '') await this.#setAside(problem, dashboards);
    return inOrder(dashboards);
  }

  /** Keeps the file under another name, and writes one with what can be used. */
  async #setAside(problem: string, usable: readonly Dashboard[]): Promise<void> {
    const { dir, name, ext } = path.parse(this.#file);
    let aside = '';
    for (let count = 1; aside === '' || existsSync(aside); count++)
      aside = path.join(dir, `${name}-damaged-${count}${ext}`);
    try {
      await rename(this.#file, aside);
    } catch (cause) {
      throw this.#unreadable(cause);
    }
    // Where none is usable there is no file, as before the first.
    if (usable.length > 0) await this.#write(usable);
    this.#logger.warn(
      `${this.#file}: ${problem} The file was renamed to ${aside}, and ${usable.length} dashboards are used. Mend it, stop the server, and rename it back to have the others again.`,
    );
  }

  async #write(dashboards: readonly Dashboard[]): Promise<void> {
    await replaceFile(this.#file, `${JSON.stringify({ dashboards: dashboards.map(dashboardJson) }, null, 2)}\n`);
  }

  #unreadable(cause: unknown): ArmatureError {
    return new ArmatureError(
      'file.unreadable',
      `The dashboards in ${this.#file} cannot be read (${reasonOf(cause)}). Give the user of this server the right to read and write that file and its folder.`,
      { details: { path: this.#file }, cause },
    );
  }
}

function readFileText(text: string): { readonly dashboards: Dashboard[]; readonly problem: string } {
  let found: unknown;
  try {
    const whole = JSON.parse(text) as { readonly dashboards?: unknown } | null;
    found = whole?.dashboards;
  } catch (thrown) {
    return { dashboards: [], problem: `It is not JSON: ${reasonOf(thrown)}.` };
  }
  if (!Array.isArray(found)) return { dashboards: [], problem: 'It has no list "dashboards".' };
  const dashboards: Dashboard[] = [];
  const problems: string[] = [];
  for (const [index, entry] of found.entries()) {
    const dashboard = readDashboardJson(entry);
    const wrong = dashboard === undefined ? 'it has not the form of a dashboard.' : dashboardProblem(dashboard);
    if (dashboard !== undefined && wrong === '') dashboards.push(withRevision(dashboard));
    else problems.push(`Entry ${index + 1} cannot be used: ${wrong}`);
  }
  return { dashboards, problem: problems.join(' ') };
}

function reasonOf(thrown: unknown): string {
  return thrown instanceof Error ? thrown.message : String(thrown);
}
