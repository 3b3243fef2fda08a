import { readdir, rename, rm, stat } from 'node:fs/promises';
import path from 'node:path';
import type { Clock } from '../../base/clock.ts';
import { JsonRecord } from '../../base/files/json-record.ts';
import { codeOf } from '../../base/errors.ts';
import { inFolderTurn } from './install/folder-turn.ts';
import { folderNameOf, isSamePackage, splitModuleId, type PackageId } from './package-id.ts';

/** What is known of a package that is whole on this computer. */
export interface PackageFacts extends PackageId {
  /** Hex, of the archive that it came in. */
  readonly sha256: string;
  /** Id and name of the key that signed it; '' as name where that was the hub's. */
  readonly keyId: string;
  readonly signedBy: string;
  /** Relative to its folder; `firstRun` is '' where it has none. */
  readonly entrypoint: string;
  readonly firstRun: string;
  /** Whether its first run is over and done, or there is none. */
  readonly isSetUp: boolean;
}

/** A package that is whole on this computer. */
export interface KeptPackage extends PackageFacts {
  /** Its folder, absolute. */
  readonly root: string;
}

const STATE_END = '.json';
/** What an unpacking that did not end leaves behind. */
const HALF_START = '.unpack-';
const PART_START = '.part-';
const SET_UP_START = '.set-up-';

/**
 * The packages of modules on this computer:
 *
 *     modules/<namespace>/<name>/<version>_<platform>/       content
 *     modules/<namespace>/<name>/<version>_<platform>.json   facts
 *     modules/<namespace>/<name>/.part-...                   downloads under way
 *
 * A package is there where both its content and its facts are: the content is renamed into its place when all of it is
 * on the disk, the facts are written after that and removed before it.
 */
export class ModuleStore {
  /** `<home>/packages` */
  readonly folder: string;
  readonly #clock: Clock;

  constructor(folder: string, clock: Clock) {
    this.folder = folder;
    this.#clock = clock;
  }

  /** Works on the packages of one module while nobody else of this computer does; what was left half is gone by then. */
  inTurn<T>(moduleId: string, signal: AbortSignal, work: () => Promise<T>): Promise<T> {
    return inFolderTurn(this.folderOf(moduleId), this.#clock, signal, async () => {
      await this.#removeHalf(moduleId);
      return work();
    });
  }

  /** The same for the first run of one package, which may take an hour: the others do not wait for it. */
  inSetUpTurn<T>(id: PackageId, signal: AbortSignal, work: () => Promise<T>): Promise<T> {
    return inFolderTurn(this.#setUpFolder(id), this.#clock, signal, work);
  }

  folderOf(moduleId: string): string {
    return path.join(this.folder, 'modules', ...splitModuleId(moduleId));
  }

  /** Modules that have a folder here. */
  async moduleIds(): Promise<readonly string[]> {
    const modules = path.join(this.folder, 'modules');
    const ids: string[] = [];
    for (const namespace of await namesIn(modules)) {
      for (const name of await namesIn(path.join(modules, namespace))) ids.push(`${namespace}:${name}`);
    }
    return ids;
  }

  /** All packages of a module. */
  async kept(moduleId: string): Promise<readonly KeptPackage[]> {
    const folder = this.folderOf(moduleId);
    const names = (await namesIn(folder)).filter((name) => name.endsWith(STATE_END) && !name.startsWith('.'));
    const found = await Promise.all(names.map((name) => this.#load(folder, name.slice(0, -STATE_END.length))));
    return found.filter((one) => one !== undefined && one.moduleId === moduleId).map((one) => one as KeptPackage);
  }

  async find(id: PackageId): Promise<KeptPackage | undefined> {
    const found = await this.#load(this.folderOf(id.moduleId), folderNameOf(id));
    return found !== undefined && isSamePackage(found, id) ? found : undefined;
  }

  /** A folder, not made yet, to unpack to. */
  newFolder(id: PackageId): string {
    return path.join(this.folderOf(id.moduleId), `${HALF_START}${folderNameOf(id)}`);
  }

  /** Start of the name of files that this package is downloaded to. */
  partPath(id: PackageId): string {
    return path.join(this.folderOf(id.moduleId), `${PART_START}${folderNameOf(id)}`);
  }

  /** Files of all downloads of a module that did not end. */
  async parts(moduleId: string): Promise<readonly string[]> {
    const folder = this.folderOf(moduleId);
    return (await namesIn(folder)).filter((name) => name.startsWith(PART_START)).map((name) => path.join(folder, name));
  }

  /** Its time of change says when the package was used last. */
  statePath(id: PackageId): string {
    return `${this.#rootOf(id)}${STATE_END}`;
  }

  /** Takes over what was unpacked to {@link newFolder}, in one step. In turn. */
  async put(facts: PackageFacts): Promise<KeptPackage> {
    const root = this.#rootOf(facts);
    await this.remove(facts);
    await rename(this.newFolder(facts), root);
    await this.#record(facts).save(facts);
    return { ...facts, root };
  }

  /** Its first run is done. In its turn. */
  async markSetUp(kept: KeptPackage): Promise<KeptPackage> {
    const { root, ...facts } = kept;
    await this.#record(facts).save({ ...facts, isSetUp: true });
    return { ...facts, isSetUp: true, root };
  }

  /** Forgets a package; nothing where there is none. In turn. */
  async remove(id: PackageId): Promise<void> {
    await this.#record(id).save(undefined);
    for (const folder of [this.#rootOf(id), this.#setUpFolder(id)]) await rm(folder, { recursive: true, force: true });
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

  async #load(folder: string, name: string): Promise<KeptPackage | undefined> {
    const root = path.join(folder, name);
    const facts = await recordAt(`${root}${STATE_END}`).load();
    if (facts === undefined || (await stat(root).catch(() => undefined))?.isDirectory() !== true) return undefined;
    // What somebody removed by hand is fetched anew.
    const program = await stat(path.join(root, facts.entrypoint)).catch(() => undefined);
    return program?.isFile() === true ? { ...facts, root } : undefined;
  }

  #rootOf(id: PackageId): string {
    return path.join(this.folderOf(id.moduleId), folderNameOf(id));
  }

  #setUpFolder(id: PackageId): string {
    return path.join(this.folderOf(id.moduleId), `${SET_UP_START}${folderNameOf(id)}`);
  }

  #record(id: PackageId): JsonRecord<PackageFacts> {
    return recordAt(this.statePath(id));
  }
}

function recordAt(file: string): JsonRecord<PackageFacts> {
  return new JsonRecord({
    path: file,
    isValid: areFacts,
    what: 'What is known of a module package',
    nextStep: 'It is downloaded again at the next start.',
  });
}

function areFacts(value: unknown): value is PackageFacts {
  if (typeof value !== 'object' || value === null) return false;
  const { isSetUp, ...rest } = value as Record<string, unknown>;
  const texts = ['moduleId', 'version', 'platform', 'sha256', 'keyId', 'signedBy', 'entrypoint', 'firstRun'];
  return typeof isSetUp === 'boolean' && texts.every((key) => typeof rest[key] === 'string');
}

/** Names in a folder; none where there is no such folder. */
export async function namesIn(folder: string): Promise<readonly string[]> {
  try {
    return await readdir(folder);
  } catch (thrown) {
    if (codeOf(thrown) === 'ENOENT' || codeOf(thrown) === 'ENOTDIR') return [];
    throw thrown;
  }
}
