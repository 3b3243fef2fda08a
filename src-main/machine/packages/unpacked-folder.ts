import { chmod, link, mkdir, open, rm, symlink, type FileHandle } from 'node:fs/promises';
import path from 'node:path';
import type { Extract } from 'tar-stream';
import { ArmatureError, codeOf } from '../../base/errors.ts';
import { bad, checkLinkTarget, entryPath, SMALL_BYTES, type ArchiveLimits } from './archive-rules.ts';
import { freeBytes, noSpace } from './file-faults.ts';
import { TaskPool } from './task-pool.ts';

export interface UnpackedFolderOptions {
  readonly archiveBytes: number;
  readonly limits: ArchiveLimits;
  readonly freeFloorBytes: number;
}

/** Files that are being flushed to the disk at a time: together they cost little more than one. */
const FLUSHES = 16;
/** The disk is looked at after each so many bytes. */
const LOOK_BYTES = 8 * 1024 * 1024;
const FOLDER_MODE = 0o755;

type Entry = Extract extends AsyncIterable<infer T> ? T : never;

interface Link {
  readonly at: string;
  readonly target: string;
}

/** A folder that the entries of an archive are put in, one after another, by the rules of {@link entryPath}. */
export class UnpackedFolder {
  readonly #root: string;
  readonly #options: UnpackedFolderOptions;
  /** Paths of what was made; links are only noted until all else is there. */
  readonly #folders = new Set<string>(['']);
  readonly #files = new Set<string>();
  readonly #symlinks: Link[] = [];
  readonly #hardLinks: Link[] = [];
  readonly #flushes = new TaskPool(FLUSHES);
  #entries = 0;
  #bytes = 0;
  #lookAt = 0;

  /** @param root there already, and empty */
  constructor(root: string, options: UnpackedFolderOptions) {
    this.#root = root;
    this.#options = options;
  }

  /** Takes over one entry, to its end. @throws {ArmatureError} `module.bad_package`, `module.no_space` */
  async take(entry: Entry): Promise<void> {
    const { name, mode } = entry.header;
    // What an archive does not say is null, whatever the types of the reader have.
    const type = entry.header.type as typeof entry.header.type | null;
    const linkname = (entry.header.linkname as string | null) ?? '';
    const { files } = this.#options.limits;
    if (++this.#entries > files) throw new ArmatureError('module.bad_package', `it has more than ${files} entries`);
    const at = entryPath(name);
    if (type === 'file' || type === 'contiguous-file') {
      await this.#takeFile(at, entry, mode);
      return;
    }
    entry.resume();
    if (type === 'directory') await this.#makeFolder(at, name);
    else if (type === 'symlink') {
      checkLinkTarget(at, linkname);
      this.#symlinks.push({ at, target: linkname });
    } else if (type === 'link') this.#hardLinks.push({ at, target: entryPath(linkname) });
    else {
      const kind = type === null ? 'thing of an unknown kind' : type.replace('-', ' ');
      throw bad(name, `is a ${kind}; a package has only files, folders and links`);
    }
  }

  /** Makes the links, and settles when everything is on the disk. */
  async end(): Promise<void> {
    for (const { at, target } of this.#hardLinks) {
      // An archiver that was given one file twice says so like this.
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

  /** Lets go of every file, whatever became of it. */
  async abandon(): Promise<void> {
    await this.#flushes.drained().catch(() => undefined); // why it is given up is known already
  }

  async #takeFile(at: string, entry: Entry, mode: number): Promise<void> {
    if (at === '') throw bad('with no name', 'is a file');
    const file = await this.#create(at);
    let isDone = false;
    try {
      for await (const chunk of entry) {
        await this.#checkBytes((chunk as Buffer).length);
        await file.write(chunk as Buffer);
      }
      // Rights to run it, and nothing else that an archive may say: no other owner, no one else who may write.
      await file.chmod((mode & 0o111) === 0 ? 0o644 : 0o755);
      isDone = true;
    } finally {
      if (!isDone) await file.close();
    }
    await this.#flushes.run(() => flushed(file));
  }

  /** A path that comes twice is the later one, as archivers have it. */
  async #create(at: string): Promise<FileHandle> {
    await this.#makeParent(at);
    if (this.#folders.has(at)) throw bad(at, 'is a file and a folder');
    const file = path.join(this.#root, at);
    if (this.#files.has(at)) await rm(file);
    this.#files.add(at);
    return open(file, 'wx', 0o600);
  }

  async #checkBytes(more: number): Promise<void> {
    const { limits, archiveBytes, freeFloorBytes } = this.#options;
    this.#bytes += more;
    if (this.#bytes > limits.unpackedBytes) {
      throw new ArmatureError('module.bad_package', `more than ${limits.unpackedBytes} bytes come out of it`);
    }
    if (this.#bytes > SMALL_BYTES && this.#bytes > archiveBytes * limits.ratio) {
      throw new ArmatureError('module.bad_package', `more than ${limits.ratio} times its own size comes out of it`);
    }
    if (this.#bytes < this.#lookAt) return;
    this.#lookAt = this.#bytes + LOOK_BYTES;
    if ((await freeBytes(this.#root)) < freeFloorBytes + more) {
      throw noSpace(this.#root, `unpacking would leave less than ${Math.round(freeFloorBytes / 1024 / 1024)} MB`);
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
