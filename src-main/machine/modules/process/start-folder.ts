import { mkdirSync, mkdtempSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { ArmatureError, toArmatureError } from '../../../base/errors.ts';

/** Longest path of a Unix socket that every system and SDK accepts. */
export const LONGEST_SOCKET_PATH = 103;
/** The longest part that a start adds to the base folder. */
const LONGEST_INSIDE = '/999999/parent.sock'.length;

/** The sockets of one start of one module. */
export interface StartFolder {
  readonly path: string;
  /** Where the module listens. */
  readonly moduleSocket: string;
  /** Where the machine listens for this module only. */
  readonly parentSocket: string;
  remove(): Promise<void>;
}

/**
 * Folders for sockets, one per start, so that an old socket never blocks a new one. Only this user may enter them,
 * because every client of a parent socket is treated as the module.
 */
export class StartFolders {
  readonly #parents: readonly string[];
  #base: string | undefined;
  #starts = 0;

  /** @param parents folders to try, in order; by default the usual ones */
  constructor(parents: readonly string[] = [os.tmpdir(), '/tmp']) {
    this.#parents = parents;
  }

  /** The base folder of all starts, created on first use. Throws `file.unwritable`. */
  get base(): string {
    return (this.#base ??= makeBase(this.#parents));
  }

  /** @throws {ArmatureError} `file.unwritable` */
  open(): StartFolder {
    const folder = path.join(this.base, String(++this.#starts));
    try {
      mkdirSync(folder, { mode: 0o700, recursive: true });
    } catch (cause) {
      throw unwritable(folder, cause);
    }
    return {
      path: folder,
      moduleSocket: path.join(folder, 'module.sock'),
      parentSocket: path.join(folder, 'parent.sock'),
      remove: () => rm(folder, { recursive: true, force: true }),
    };
  }

  async close(): Promise<void> {
    if (this.#base !== undefined) await rm(this.#base, { recursive: true, force: true });
    this.#base = undefined;
  }
}

function makeBase(parents: readonly string[]): string {
  let trouble: ArmatureError | undefined;
  for (const parent of parents) {
    if (path.join(parent, 'armature-XXXXXX').length + LONGEST_INSIDE > LONGEST_SOCKET_PATH) continue;
    try {
      // mkdtemp creates folders with mode 0700.
      return mkdtempSync(path.join(parent, 'armature-'));
    } catch (cause) {
      trouble ??= unwritable(parent, cause);
    }
  }
  throw (
    trouble ??
    new ArmatureError(
      'file.unwritable',
      `${parents[0] ?? ''} is too long for the sockets of modules, which take ${LONGEST_SOCKET_PATH} bytes. Set TMPDIR to a shorter folder.`,
    )
  );
}

function unwritable(folder: string, cause: unknown): ArmatureError {
  return new ArmatureError(
    'file.unwritable',
    `The sockets of modules cannot be made in ${folder} (${toArmatureError(cause).message}). Make it writable, or set TMPDIR to another folder.`,
    { cause, details: { path: folder } },
  );
}
