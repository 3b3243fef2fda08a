import { mkdir, readdir, rename, rm, stat } from 'node:fs/promises';
import path from 'node:path';
import type { Clock } from '../../base/clock.ts';
import { JsonRecord } from '../../base/files/json-record.ts';
import { codeOf } from '../../base/errors.ts';
import { withFolderLock } from './install/with-folder-lock.ts';
import { isSamePackage, type PackageId } from './package-id.ts';

/** Metadata of an installed package. */
export interface PackageMetadata extends PackageId {
  /** SHA-256 of its archive, hex. */
  readonly sha256: string;
}

/** An installed package. */
export type Installed<F extends PackageMetadata> = F & {
  /** Its folder, absolute. */
  readonly root: string;
};

/** Properties of one kind of package. */
export interface PackageKind<F extends PackageMetadata> {
  /** Their folder, below that of all packages. */
  readonly area: string;
  /**
   * Names of the two folders that contain the versions of a package.
   * @throws {ArmatureError} `call.bad_argument`
   */
  readonly split: (id: string) => readonly [string, string];
  /** The inverse of {@link split}. */
  readonly join: (outer: string, inner: string) => string;
  /** Name of the folder of a version, with `_` in it. @throws {ArmatureError} `call.bad_argument` */
  readonly folderName: (id: PackageId) => string;
  readonly isMetadata: (value: unknown) => value is F;
  /** Whether the files that the metadata names exist: manually deleted ones are downloaded again. */
  readonly isThere: (root: string, metadata: F) => Promise<boolean>;
  /** Access rights of the folders around the content. */
  readonly folderMode: number;
}

const STATE_END = '.json';
/** Prefix of folders that unfinished unpacking leaves behind. */
const HALF_START = '.unpack-';
const PART_START = '.part-';
const SET_UP_START = '.set-up-';

/**
 * The packages of one kind on this computer:
 *
 *     <area>/<namespace>/<name>/<version>_<platform>/       content
 *     <area>/<namespace>/<name>/<version>_<platform>.json   metadata
 *     <area>/<namespace>/<name>/.part-...                   downloads under way
 *
 * A package is installed where both its content and its metadata are there: the content is renamed into its place when all of it is
 * on the disk, the metadata is written after that and removed before it.
 */
export class PackageStore<F extends PackageMetadata> {
  /** `<home>/packages` */
  readonly folder: string;
  readonly #clock: Clock;
  readonly #kind: PackageKind<F>;

  constructor(folder: string, clock: Clock, kind: PackageKind<F>) {
    this.folder = folder;
    this.#clock = clock;
    this.#kind = kind;
  }

  /**
   * Runs `work` while holding the lock of one package on this computer. Removes the remains of unfinished unpacking
   * first.
   */
  async withLock<T>(moduleId: string, signal: AbortSignal, work: () => Promise<T>): Promise<T> {
    await mkdir(this.folderOf(moduleId), { recursive: true, mode: this.#kind.folderMode });
    return withFolderLock(this.folderOf(moduleId), this.#clock, signal, async () => {
      await this.#removeHalf(moduleId);
      return work();
    });
  }

  folderOf(moduleId: string): string {
    return path.join(this.folder, this.#kind.area, ...this.#kind.split(moduleId));
  }

  /** Packages with a folder here. */
  async ids(): Promise<readonly string[]> {
    const area = path.join(this.folder, this.#kind.area);
    const ids: string[] = [];
    for (const outer of await namesIn(area)) {
      for (const inner of await namesIn(path.join(area, outer))) ids.push(this.#kind.join(outer, inner));
    }
    return ids;
  }

  /** All versions of a package. */
  async installed(moduleId: string): Promise<readonly Installed<F>[]> {
    const folder = this.folderOf(moduleId);
    const names = (await namesIn(folder)).filter((name) => name.endsWith(STATE_END) && !name.startsWith('.'));
    const found = await Promise.all(names.map((name) => this.#load(folder, name.slice(0, -STATE_END.length))));
    return found.filter((one) => one?.moduleId === moduleId).map((one) => one as Installed<F>);
  }

  async find(id: PackageId): Promise<Installed<F> | undefined> {
    const found = await this.#load(this.folderOf(id.moduleId), this.#kind.folderName(id));
    return found !== undefined && isSamePackage(found, id) ? found : undefined;
  }

  /** Path of a new folder to unpack to. */
  newFolder(id: PackageId): string {
    return path.join(this.folderOf(id.moduleId), `${HALF_START}${this.#kind.folderName(id)}`);
  }

  /** Start of the names of this package's download files. */
  partPath(id: PackageId): string {
    return path.join(this.folderOf(id.moduleId), `${PART_START}${this.#kind.folderName(id)}`);
  }

  /** Files of all unfinished downloads of a package. */
  async parts(moduleId: string): Promise<readonly string[]> {
    const folder = this.folderOf(moduleId);
    return (await namesIn(folder)).filter((name) => name.startsWith(PART_START)).map((name) => path.join(folder, name));
  }

  /** Its modification time says when the package was last used. */
  statePath(id: PackageId): string {
    return `${this.#rootOf(id)}${STATE_END}`;
  }

  /** Takes over the contents of {@link newFolder}, in one step. Call it while holding the lock. */
  async put(metadata: F): Promise<Installed<F>> {
    const root = this.#rootOf(metadata);
    await this.remove(metadata);
    await rename(this.newFolder(metadata), root);
    await this.#record(metadata).save(metadata);
    return { ...metadata, root };
  }

  /** Changes the metadata of an installed package. */
  async change(installed: Installed<F>, change: Partial<F>): Promise<Installed<F>> {
    const { root, ...before } = installed;
    const metadata = { ...(before as unknown as F), ...change };
    await this.#record(metadata).save(metadata);
    return { ...metadata, root };
  }

  /** Lock of a package during its first run; deleted with the package. */
  setUpFolder(id: PackageId): string {
    return path.join(this.folderOf(id.moduleId), `${SET_UP_START}${this.#kind.folderName(id)}`);
  }

  /** Deletes a package if it is there. Call it while holding the lock. */
  async remove(id: PackageId): Promise<void> {
    await this.#record(id).save(undefined);
    for (const folder of [this.#rootOf(id), this.setUpFolder(id)]) await rm(folder, { recursive: true, force: true });
  }

  async #removeHalf(moduleId: string): Promise<void> {
    const folder = this.folderOf(moduleId);
    const names = await namesIn(folder);
    for (const name of names) {
      const isHalf = name.startsWith(HALF_START);
      const isWithoutFacts = !name.startsWith('.') && name.includes('_') && !name.endsWith(STATE_END);
      if (isHalf || (isWithoutFacts && !names.includes(`${name}${STATE_END}`))) {
        await rm(path.join(folder, name), { recursive: true, force: true });
      }
    }
  }

  async #load(folder: string, name: string): Promise<Installed<F> | undefined> {
    const root = path.join(folder, name);
    const metadata = await this.#recordAt(`${root}${STATE_END}`).load();
    if (metadata === undefined || (await stat(root).catch(() => undefined))?.isDirectory() !== true) return undefined;
    return (await this.#kind.isThere(root, metadata)) ? { ...metadata, root } : undefined;
  }

  #rootOf(id: PackageId): string {
    return path.join(this.folderOf(id.moduleId), this.#kind.folderName(id));
  }

  #record(id: PackageId): JsonRecord<F> {
    return this.#recordAt(this.statePath(id));
  }

  #recordAt(file: string): JsonRecord<F> {
    return new JsonRecord({
      path: file,
      isValid: this.#kind.isMetadata,
      what: 'What is known of a package',
      nextStep: 'It is downloaded again at the next start.',
    });
  }
}

/** Whether a value has these text fields, as metadata of every kind has. */
export function hasTexts(value: unknown, keys: readonly string[]): value is Readonly<Record<string, unknown>> {
  if (typeof value !== 'object' || value === null) return false;
  return keys.every((key) => typeof (value as Record<string, unknown>)[key] === 'string');
}

/** Names in a folder; none if the folder is missing. */
export async function namesIn(folder: string): Promise<readonly string[]> {
  try {
    return await readdir(folder);
  } catch (thrown) {
    if (codeOf(thrown) === 'ENOENT' || codeOf(thrown) === 'ENOTDIR') return [];
    throw thrown;
  }
}
