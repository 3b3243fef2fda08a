import { ArmatureError } from '../../../base/errors.ts';
import type { TarEntry } from '../../../base/tar/read-tar.ts';

/** As deep as links may lead through links, as of Linux. */
const MOST_LINKS = 40;
/** Names that are looked up to follow all links: a few that lead through each other would take hours. */
const MOST_STEPS = 500_000;

/** @returns the refusal of a package, for its publisher to read */
export function badPackage(why: string): ArmatureError {
  return new ArmatureError('registry.bad_package', `The package is refused: ${why}.`);
}

/** What an archive would unpack to; nothing of it may be, or lead, outside. */
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
   * To be asked once everything is added: links may come before what they lead to.
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

  /** The file at a path, through links; undefined where there is none. */
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
   * Goes a way as an operating system does, every link on it taken.
   * @returns where it ends
   * @throws {ArmatureError} `registry.bad_package` where it leaves the archive or has no end
   */
  #walk(from: readonly string[], way: string, name: string): string {
    const at = [...from];
    const steps = way.split('/').reverse();
    for (let links = 0; steps.length > 0;) {
      const step = steps.pop() ?? '';
      if (++this.#steps > MOST_STEPS) {
        throw badPackage(`its links lead through too many names: ${MOST_STEPS} is the most, "${name}" is one more`);
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
      if (++links > MOST_LINKS) throw badPackage(`the links of "${name}" lead in a circle`);
      at.pop();
      steps.push(...entry.linkName.split('/').reverse());
    }
    return at.join('/');
  }
}

/** A name of an archive without `./` and the like; '' is its top. */
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
