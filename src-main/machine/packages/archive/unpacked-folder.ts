import { chmod, link, mkdir, open, rm, symlink, type FileHandle } from 'node:fs/promises';
import path from 'node:path';
import type { TarEntry } from '../../../base/tar/read-tar.ts';
import { freeBytes, noSpace } from '../install/file-errors.ts';
import { TaskPool } from '../install/task-pool.ts';
import { ArmatureError, codeOf } from '../../../base/errors.ts';

/** Files flushed to the disk at a time: several cost little more than one. */
const FLUSHES = 16;
/** The free space is checked after each so many bytes. */
const LOOK_BYTES = 8 * 1024 * 1024;
const FOLDER_MODE = 0o755;

interface Link {
  readonly at: string;
  readonly target: string;
}

/** A folder that receives the entries of an archive, one after another, by the rules of {@link entryPath}. */
export class UnpackedFolder {
  readonly #root: string;
  readonly #freeFloorBytes: number;
  /** Created paths; links are only recorded until everything else is there. */
  readonly #folders = new Set<string>(['']);
  readonly #files = new Set<string>();
  readonly #symlinks: Link[] = [];
  readonly #hardLinks: Link[] = [];
  readonly #flushes = new TaskPool(FLUSHES);
  #bytes = 0;
  #lookAt = 0;

  /** @param root exists already, and is empty */
  constructor(root: string, freeFloorBytes: number) {
    this.#root = root;
    this.#freeFloorBytes = freeFloorBytes;
  }

  /**
   * Takes one entry, with all its content.
   * @throws {ArmatureError} `module.bad_package`, `module.no_space`
   */
  async take(entry: TarEntry): Promise<void> {
    const { name, kind, linkName } = entry;
    const at = entryPath(name);
    if (kind === 'file') await this.#takeFile(at, entry);
    else if (kind === 'directory') await this.#makeFolder(at, name);
    else if (kind === 'symlink') {
      checkLinkTarget(at, linkName);
      this.#symlinks.push({ at, target: linkName });
    } else this.#hardLinks.push({ at, target: entryPath(linkName) });
  }

  /** Creates the links, and settles when everything is on the disk. */
  async end(): Promise<void> {
    for (const { at, target } of this.#hardLinks) {
      // An archiver that was given one file twice writes it as a link to itself.
      if (at === target) continue;
      if (!this.#files.has(target)) throw bad(at, `is a hard link to ${target}, which is no file of the package`);
      await this.#makeLink(at, (file) => link(path.join(this.#root, target), file));
      this.#files.add(at);
    }
    for (const { at, target } of this.#symlinks) await this.#makeLink(at, (file) => symlink(target, file));
    await this.#flushes.drained();
    for (const folder of this.#folders) {
      await this.#flushes.run(async () => flushed(await open(path.join(this.#root, folder), 'r')));
    }
    await this.#flushes.drained();
  }

  /** Closes every file, successful or not. */
  async abandon(): Promise<void> {
    await this.#flushes.drained().catch(() => undefined); // the cause of the failure is already known
  }

  async #takeFile(at: string, entry: TarEntry): Promise<void> {
    if (at === '') throw bad('with no name', 'is a file');
    const file = await this.#create(at);
    let isDone = false;
    try {
      for await (const chunk of entry.chunks()) {
        await this.#checkDisk(chunk.length);
        await file.write(chunk);
      }
      // Takes only the right to run it from the archive: no other owner, and nobody else may write.
      await file.chmod((entry.mode & 0o111) === 0 ? 0o644 : 0o755);
      isDone = true;
    } finally {
      if (!isDone) await file.close();
    }
    await this.#flushes.run(() => flushed(file));
  }

  /** If a path occurs twice, the later entry wins, as in archivers. */
  async #create(at: string): Promise<FileHandle> {
    await this.#makeParent(at);
    if (this.#folders.has(at)) throw bad(at, 'is a file and a folder');
    const file = path.join(this.#root, at);
    if (this.#files.has(at)) await rm(file);
    this.#files.add(at);
    return open(file, 'wx', 0o600);
  }

  async #checkDisk(more: number): Promise<void> {
    this.#bytes += more;
    if (this.#bytes < this.#lookAt) return;
    this.#lookAt = this.#bytes + LOOK_BYTES;
    const floor = this.#freeFloorBytes;
    if ((await freeBytes(this.#root)) < floor + more) {
      throw noSpace(this.#root, `unpacking would leave less than ${Math.round(floor / 1024 / 1024)} MB`);
    }
  }

  async #makeParent(at: string): Promise<void> {
    const slash = at.lastIndexOf('/');
    if (slash > 0) await this.#makeFolder(at.slice(0, slash), at);
  }

  async #makeFolder(at: string, entry: string): Promise<void> {
    if (this.#folders.has(at)) return;
    await this.#makeParent(at);
    if (this.#files.has(at)) throw bad(entry, `lies in ${at}, which is a file`);
    const folder = path.join(this.#root, at);
    try {
      await mkdir(folder);
    } catch (thrown) {
      if (codeOf(thrown) === 'EEXIST') throw bad(entry, `lies in ${at}, which is a link`);
      throw thrown;
    }
    await chmod(folder, FOLDER_MODE);
    this.#folders.add(at);
  }

  async #makeLink(at: string, make: (file: string) => Promise<void>): Promise<void> {
    if (at === '') throw bad('with no name', 'is a link');
    await this.#makeParent(at);
    try {
      await make(path.join(this.#root, at));
    } catch (thrown) {
      if (codeOf(thrown) === 'EEXIST') throw bad(at, 'is a link and something else');
      throw thrown;
    }
  }
}

async function flushed(file: FileHandle): Promise<void> {
  try {
    await file.sync();
  } finally {
    await file.close();
  }
}

const LONGEST_PATH = 1_000;
const LONGEST_NAME = 255;

/**
 * The path of an entry below the target folder, without `.` and empty parts; '' for the folder itself.
 * @throws {ArmatureError} `module.bad_package` if it would lead elsewhere
 */
function entryPath(name: string): string {
  if (name.includes('\0')) throw bad(name, 'has a zero byte in its name');
  if (name.startsWith('/')) throw bad(name, 'is an absolute path');
  const parts = name.split('/').filter((part) => part !== '' && part !== '.');
  if (parts.includes('..')) throw bad(name, 'leads out of the package');
  if (name.length > LONGEST_PATH || parts.some((part) => Buffer.byteLength(part) > LONGEST_NAME)) {
    throw bad(`${name.slice(0, 80)}...`, 'has a name that is too long');
  }
  return parts.join('/');
}

/**
 * Checks that a symbolic link stays in the package. `..` is allowed only at its start: after a name that is itself a
 * link, only the file system knows where it leads.
 * @param at path of the link, from {@link entryPath}
 * @throws {ArmatureError} `module.bad_package`
 */
function checkLinkTarget(at: string, target: string): void {
  if (target === '' || target.includes('\0')) throw bad(at, 'is a link to nothing');
  if (target.startsWith('/')) throw bad(at, `is a link to the absolute path ${target}; make it a relative one`);
  if (target.length > LONGEST_PATH) throw bad(at, 'is a link to a name that is too long');
  const parts = target.split('/').filter((part) => part !== '' && part !== '.');
  const up = parts.findIndex((part) => part !== '..');
  const levels = up < 0 ? parts.length : up;
  if (levels > at.split('/').length - 1) throw bad(at, `is a link to ${target}, which leads out of the package`);
  if (parts.slice(levels).includes('..')) {
    throw bad(at, `is a link to ${target}; write it without ".." behind a name`);
  }
}

/** An entry that makes its package unusable. */
function bad(entry: string, why: string): ArmatureError {
  return new ArmatureError('module.bad_package', `its entry ${entry} ${why}`, { details: { entry } });
}
