import { mkdir, readdir, rename, rm, symlink } from 'node:fs/promises';
import path from 'node:path';
import { ArmatureError, codeOf } from '../../../base/errors.ts';

/**
 * The values of a machine's placeholders: one link for each package, to the installed version. The path of a link
 * never changes, so that a configuration says the same whichever version that is.
 *
 *     links/<machine>/<type>/<name>  ->  data/<type>/<organization id>/<name>/<version>_any
 */
export class PackageLinks {
  readonly #folder: string;

  /** @param packages `<home>/packages` @param machine identifies this machine among others with this home */
  constructor(packages: string, machine: string) {
    this.#folder = path.join(packages, 'links', machine.replace(/[^\w-]/g, '_'));
  }

  /** The path of a package's files, once it is installed. */
  pathOf(type: string, name: string): string {
    return path.join(this.#folder, type, name);
  }

  /**
   * Points a link to another folder, in one step.
   * @throws {ArmatureError} `file.unwritable`
   */
  async set(type: string, name: string, root: string): Promise<void> {
    const link = this.pathOf(type, name);
    const next = path.join(path.dirname(link), `.next-${name}`);
    try {
      await mkdir(path.dirname(link), { recursive: true, mode: 0o755 });
      await rm(next, { force: true });
      await symlink(path.relative(path.dirname(link), root), next);
      await rename(next, link);
    } catch (cause) {
      const message = `The link ${link} cannot be made (${codeOf(cause)}); give the user of this server the right to.`;
      throw new ArmatureError('file.unwritable', message, { details: { path: link }, cause });
    }
  }

  /** Removes links of packages that are not configured. */
  async keepOnly(type: string, names: ReadonlySet<string>): Promise<void> {
    const folder = path.join(this.#folder, type);
    const found = await readdir(folder).catch((): string[] => []); // there are no links yet
    for (const name of found) if (!names.has(name)) await rm(path.join(folder, name), { force: true });
  }
}
