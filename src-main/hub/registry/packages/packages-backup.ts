import { createHash } from 'node:crypto';
import {
  closeSync,
  constants,
  copyFileSync,
  existsSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readdirSync,
  readSync,
  renameSync,
  rmSync,
  statSync,
} from 'node:fs';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { ArmatureError, toArmatureError } from '../../../base/errors.ts';
import { PACKAGES } from '../registry.ts';

/** The result of copying packages. */
export interface CopiedPackages {
  readonly copied: number;
  /** SHA-256 of packages that were not found or are damaged. */
  readonly missing: readonly string[];
}

interface Package {
  readonly sha256: string;
  readonly bytes: number;
}

/** Folder with the packages of a database copy. */
export function packagesBeside(database: string): string {
  return `${database}.packages`;
}

/**
 * Copies the packages that a database backup names into a folder beside it, and checks each against its hash. A backup
 * without packages gets no such folder.
 * @param folder of the hub
 * @param backup the copy of its database
 * @throws {ArmatureError} `file.unwritable`
 */
export function backUpPackages(folder: string, backup: string): CopiedPackages {
  return copyAll(packagesOf(backup), path.join(folder, PACKAGES), packagesBeside(backup));
}

/**
 * Restores the packages that a restored database names. Packages that it does not name are moved beside the previous
 * database, which may be restored again.
 * @param backup the file that was restored
 * @param kept the previous database
 * @throws {ArmatureError} `file.unwritable`
 */
export function restorePackages(folder: string, backup: string, kept: string | undefined): CopiedPackages {
  const place = path.join(folder, PACKAGES);
  const wanted = packagesOf(backup);
  const names = new Set(wanted.map(({ sha256 }) => sha256));
  if (kept !== undefined && existsSync(place)) {
    const others = readdirSync(place).filter((name) => /^[0-9a-f]{64}$/.test(name) && !names.has(name));
    if (others.length > 0) mkdirSync(packagesBeside(kept), { recursive: true, mode: 0o700 });
    for (const name of others) renameSync(path.join(place, name), path.join(packagesBeside(kept), name));
  }
  return copyAll(wanted, packagesBeside(backup), place);
}

function copyAll(wanted: readonly Package[], from: string, to: string): CopiedPackages {
  const missing: string[] = [];
  let copied = 0;
  for (const { sha256, bytes } of wanted) {
    const target = path.join(to, sha256);
    if (sizeOf(target) === bytes) continue;
    const source = path.join(from, sha256);
    if (sizeOf(source) === bytes && copyWhole(source, target, sha256)) copied++;
    else missing.push(sha256);
  }
  return { copied, missing };
}

/** @returns whether the copy has the right hash */
function copyWhole(source: string, target: string, sha256: string): boolean {
  const partial = `${target}.partial`;
  try {
    mkdirSync(path.dirname(target), { recursive: true, mode: 0o700 });
    copyFileSync(source, partial, constants.COPYFILE_FICLONE);
    const isWhole = settledHash(partial) === sha256;
    if (isWhole) renameSync(partial, target);
    return isWhole;
  } catch (thrown) {
    throw new ArmatureError(
      'file.unwritable',
      `The package ${target} was not copied: ${toArmatureError(thrown).message}.`,
      {
        details: { path: target },
        cause: thrown,
      },
    );
  } finally {
    rmSync(partial, { force: true });
  }
}

/** Flushes a file to the disk. @returns its SHA-256, hexadecimal */
function settledHash(file: string): string {
  const hash = createHash('sha256');
  const handle = openSync(file, 'r');
  try {
    fsyncSync(handle);
    const buffer = Buffer.alloc(1024 * 1024);
    for (let read = readSync(handle, buffer); read > 0; read = readSync(handle, buffer))
      hash.update(buffer.subarray(0, read));
  } finally {
    closeSync(handle);
  }
  return hash.digest('hex');
}

function sizeOf(file: string): number | undefined {
  return statSync(file, { throwIfNoEntry: false })?.size;
}

/** Tables whose rows name packages. */
const TABLES = ['module_files', 'packages'];

/** The packages that a database names; empty for one that is older than the registry. */
function packagesOf(database: string): Package[] {
  const opened = new DatabaseSync(database, { readOnly: true });
  try {
    const isThere = opened.prepare("SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = ?");
    const tables = TABLES.filter((table) => isThere.get(table) !== undefined);
    if (tables.length === 0) return [];
    const rows = opened.prepare(tables.map((table) => `SELECT sha256, bytes FROM ${table}`).join(' UNION ')).all();
    return rows.map(({ sha256, bytes }) => ({ sha256: String(sha256), bytes: Number(bytes) }));
  } finally {
    opened.close();
  }
}
