import { readdir } from 'node:fs/promises';
import path from 'node:path';
import { readPicture, unreadable, type Picture } from './picture.ts';
import type { PictureSource } from './picture-source.ts';
import { codeOf } from '../../../base/errors.ts';

const pictureName = /^[^.].*\.(?:jpe?g|png)$/i;
const byName = new Intl.Collator('en', { numeric: true });

/** Pictures of files, which are read when it is their turn. */
export class FilePictures implements PictureSource {
  readonly #list: () => Promise<readonly string[]>;
  readonly #loops: boolean;
  /** Of the round under way: undefined before the first one. */
  #files: readonly string[] | undefined;
  #position = 0;

  /**
   * @param list the files, asked for again at the begin of each round
   * @param loops whether there is another round after the last file
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
 * Pictures of a folder by name, numbers in names by their value. Hidden ones are left out.
 * @throws {ArmatureError} `file.unreadable`, also where there is no picture
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
