import { ArmatureError } from '../../../base/errors.ts';
import type { TarEntry } from '../../../base/tar/read-tar.ts';

/** Links that may be followed for one path, as in Linux. */
const MAX_LINKS = 40;
/** Names that are looked up to follow all links. A few links that lead through each other would take hours. */
const MAX_STEPS = 500_000;

/** The error that tells a publisher why a package is refused. */
export function badPackage(why: string): ArmatureError {
  return new ArmatureError('registry.bad_package', `The package is refused: ${why}.`);
}

/** The files that an archive would unpack to. Refuses names and links that lead outside. */
export class ArchiveTree {
  readonly #entries = new Map<string, TarEntry>();
  #steps = 0;

  /** @throws {ArmatureError} `registry.bad_package` */
  add(entry: TarEntry): void {
    const path = pathOf(entry.name);
    if (path === '') {
      if (entry.kind !== 'directory') throw badPackage(`"${entry.name}" names no file`);
      return;
    }
    const known = this.#entries.get(path);
    if (known !== undefined && (known.kind !== 'directory' || entry.kind !== 'directory')) {
      throw badPackage(`"${path}" is in it twice`);
    }
    if (entry.kind === 'hardlink' && this.#entries.get(pathOf(entry.linkName))?.kind !== 'file') {
      throw badPackage(`the link "${path}" leads to "${entry.linkName}", which is no file before it in the archive`);
    }
    this.#entries.set(path, entry);
  }

  /**
   * Call this when all entries are added: links may come before their targets.
   * @throws {ArmatureError} `registry.bad_package`
   */
  check(): void {
    const folders = new Set<string>(['']);
    for (const [path, { kind, linkName }] of this.#entries) {
      for (let above = folderOf(path); !folders.has(above); above = folderOf(above)) {
        const found = this.#entries.get(above)?.kind ?? 'directory';
        if (found !== 'directory') throw badPackage(`"${path}" is beneath "${above}", which is a ${found}`);
        folders.add(above);
      }
      if (kind === 'symlink') this.#follow(path, linkName);
    }
  }

  /** The file at a path, following links; undefined if there is none. */
  fileAt(path: string): TarEntry | undefined {
    const entry = this.#entries.get(this.#walk([], path, path));
    if (entry?.kind === 'hardlink') return this.#entries.get(pathOf(entry.linkName));
    return entry?.kind === 'file' ? entry : undefined;
  }

  #follow(path: string, target: string): void {
    if (target.startsWith('/')) throw badPackage(`the link "${path}" leads to "${target}", which is absolute`);
    this.#walk(path.split('/').slice(0, -1), target, path);
  }

  /**
   * Resolves a path as an operating system does, following every link on it.
   * @returns the resolved path
   * @throws {ArmatureError} `registry.bad_package` if the path leaves the archive, or its links form a loop
   */
  #walk(from: readonly string[], way: string, name: string): string {
    const at = [...from];
    const steps = way.split('/').reverse();
    for (let links = 0; steps.length > 0;) {
      const step = steps.pop() ?? '';
      if (++this.#steps > MAX_STEPS) {
        throw badPackage(`its links lead through more than ${MAX_STEPS} names; "${name}" exceeds this limit`);
      }
      if (step === '' || step === '.') continue;
      if (step === '..') {
        if (at.pop() === undefined) throw badPackage(`"${name}" leads out of it, to "${way}"`);
        continue;
      }
      at.push(step);
      const entry = this.#entries.get(at.join('/'));
      if (entry?.kind !== 'symlink') continue;
      if (entry.linkName.startsWith('/')) throw badPackage(`"${name}" leads to "${entry.linkName}", which is absolute`);
      if (++links > MAX_LINKS) throw badPackage(`the links of "${name}" lead in a circle`);
      at.pop();
      steps.push(...entry.linkName.split('/').reverse());
    }
    return at.join('/');
  }
}

/** Normalizes a name in an archive: removes `./` and the like. '' is the top folder. */
export function pathOf(name: string): string {
  if (name.startsWith('/')) throw badPackage(`"${name}" is absolute`);
  if (name.includes('\0')) throw badPackage(`"${name.slice(0, 100)}" is no name of a file`);
  const steps = name.split('/').filter((step) => step !== '' && step !== '.');
  if (steps.includes('..')) throw badPackage(`"${name}" leads out of it`);
  return steps.join('/');
}

function folderOf(path: string): string {
  return path.slice(0, Math.max(0, path.lastIndexOf('/')));
}
