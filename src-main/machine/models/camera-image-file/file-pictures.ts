import { readdir } from 'node:fs/promises';
import path from 'node:path';
import { readPicture, unreadable, type Picture } from './picture.ts';
import type { PictureSource } from './picture-source.ts';
import { codeOf } from '../../../base/errors.ts';

const pictureName = /^[^.].*\.(?:jpe?g|png)$/i;
const byName = new Intl.Collator('en', { numeric: true });

/** Pictures from files, each read when it is its turn. */
export class FilePictures implements PictureSource {
  readonly #list: () => Promise<readonly string[]>;
  readonly #loops: boolean;
  /** The files of the current round; undefined before the first one. */
  #files: readonly string[] | undefined;
  #position = 0;

  /**
   * @param list returns the files; called again at the start of each round
   * @param loops whether another round follows the last file
   */
  constructor(list: () => Promise<readonly string[]>, loops: boolean) {
    this.#list = list;
    this.#loops = loops;
  }

  async next(): Promise<Picture | undefined> {
    if (this.#files === undefined || (this.#loops && this.#position >= this.#files.length)) {
      this.#files = await this.#list();
      this.#position = 0;
    }
    const file = this.#files[this.#position];
    if (file === undefined) return undefined;
    this.#position += 1;
    return readPicture(file);
  }

  async close(): Promise<void> {
    // No file stays open.
  }
}

/**
 * Pictures of a folder, sorted by name, with numbers in names compared by value. Hidden files are left out.
 * @throws {ArmatureError} `file.unreadable`, also if there are no pictures
 */
export async function picturesIn(folder: string): Promise<readonly string[]> {
  const names = await readdir(folder).catch((thrown: unknown) => {
    throw unreadable(folder, reasons[codeOf(thrown)] ?? String(thrown), thrown);
  });
  const pictures = names.filter((name) => pictureName.test(name)).sort((one, other) => byName.compare(one, other));
  if (pictures.length === 0) throw unreadable(folder, 'there is no .jpg, .jpeg or .png in it');
  return pictures.map((name) => path.join(folder, name));
}

const reasons: Readonly<Record<string, string>> = {
  ENOENT: 'there is no such folder',
  ENOTDIR: 'it is no folder',
  EACCES: 'this user may not read it',
};
