import { cp, mkdir, readdir, rename, rm } from 'node:fs/promises';
import path from 'node:path';
import { ArmatureError, codeOf } from '../../../base/errors.ts';
import { newId } from '../../places/ids.ts';
import type { ModelStore, NewModel } from './model-store.ts';

/** Models in a folder of the hub: `<organization>/<name>/<version>`. Names and versions are checked by whoever calls. */
export class FolderModels implements ModelStore {
  readonly #folder: string;

  /** @param folder made where it is not there */
  constructor(folder: string) {
    this.#folder = folder;
  }

  async publish({ organizationId, name, version, folder }: NewModel): Promise<string> {
    const place = path.join(this.#folder, organizationId, name);
    const draft = path.join(this.#folder, 'drafts', newId());
    try {
      await mkdir(place, { recursive: true, mode: 0o700 });
      await cp(folder, draft, { recursive: true });
      // Fails where a folder with files is there.
      await rename(draft, path.join(place, version));
    } catch (thrown) {
      throw failureOf(thrown, name, version, place);
    } finally {
      await rm(draft, { recursive: true, force: true });
    }
    return this.idOf(organizationId, name);
  }

  async versionsOf(organizationId: string, name: string): Promise<readonly string[]> {
    try {
      return await readdir(path.join(this.#folder, organizationId, name));
    } catch (thrown) {
      if (codeOf(thrown) === 'ENOENT') return [];
      throw thrown;
    }
  }

  idOf(organizationId: string, name: string): string {
    return `${organizationId}:${name}`;
  }
}

function failureOf(thrown: unknown, name: string, version: string, place: string): ArmatureError {
  switch (codeOf(thrown)) {
    case 'ENOTEMPTY':
    case 'EEXIST':
      return new ArmatureError(
        'registry.version_exists',
        `The model "${name}" has a version "${version}" already: train another version.`,
        { cause: thrown },
      );
    case 'ENOSPC':
    case 'EDQUOT':
      return new ArmatureError('store.full', `The disk of ${place} is full: make room, and train again.`, {
        cause: thrown,
      });
    default:
      return new ArmatureError(
        'file.unwritable',
        `The model "${name}" cannot be stored in ${place} (${codeOf(thrown)}): make the folder writable.`,
        { cause: thrown },
      );
  }
}
