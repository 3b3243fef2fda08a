import { createHash } from 'node:crypto';
import { createReadStream, createWriteStream } from 'node:fs';
import { lstat, readdir, readlink, rename } from 'node:fs/promises';
import path from 'node:path';
import { Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import { pack, type Pack } from 'tar-stream';
import { ArmatureError } from '../../base/errors.ts';

/** A package that was written. */
export interface WrittenArchive {
  readonly file: string;
  readonly bytes: number;
  /** Of the whole file, hex. */
  readonly sha256: string;
  /** Paths in it. */
  readonly entries: readonly string[];
}

/** The same bytes for the same files: no times, no owners, in the order of their names. */
const SAME = { mtime: new Date(0), uid: 0, gid: 0, uname: '', gname: '' } as const;

/**
 * Packs everything in a folder as a `.tar.gz`. Writes the whole archive or none: first to a temporary file beside it.
 * @throws {ArmatureError} `config.invalid` for what a package may not have
 */
export async function packFolder(folder: string, file: string): Promise<WrittenArchive> {
  const entries = await entriesOf(folder, '');
  const tar = pack();
  const partial = `${file}.part`;
  const hash = createHash('sha256');
  let bytes = 0;
  const counted = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      hash.update(chunk);
      bytes += chunk.length;
      done(null, chunk);
    },
  });
  const written = pipeline(tar, createGzip({ level: 9 }), counted, createWriteStream(partial));
  await Promise.all([written, addAll(tar, folder, entries)]);
  await rename(partial, file);
  return { file, bytes, sha256: hash.digest('hex'), entries };
}

async function addAll(tar: Pack, folder: string, entries: readonly string[]): Promise<void> {
  for (const name of entries) {
    const full = path.join(folder, name);
    const stat = await lstat(full);
    if (stat.isSymbolicLink()) {
      const linkname = await readlink(full);
      await new Promise<void>((resolve, reject) => {
        tar.entry({ ...SAME, name, type: 'symlink', linkname }, (error) => (error ? reject(error) : resolve()));
      });
      continue;
    }
    const mode = (stat.mode & 0o100) === 0 ? 0o644 : 0o755;
    await new Promise<void>((resolve, reject) => {
      const entry = tar.entry({ ...SAME, name, mode, size: stat.size }, (error) => (error ? reject(error) : resolve()));
      createReadStream(full).once('error', reject).pipe(entry);
    });
  }
  tar.finalize();
}

async function entriesOf(folder: string, within: string): Promise<string[]> {
  const found: string[] = [];
  const entries = await readdir(path.join(folder, within), { withFileTypes: true });
  for (const entry of entries.toSorted((a, b) => (a.name < b.name ? -1 : 1))) {
    const name = within === '' ? entry.name : `${within}/${entry.name}`;
    if (entry.isDirectory()) found.push(...(await entriesOf(folder, name)));
    else if (entry.isFile()) found.push(name);
    else if (entry.isSymbolicLink()) found.push(await checkedLink(folder, name));
    else throw new ArmatureError('config.invalid', `${path.join(folder, name)} is no file; a package has files only.`);
  }
  return found;
}

/** Machines refuse links out of a package. */
async function checkedLink(folder: string, name: string): Promise<string> {
  const target = await readlink(path.join(folder, name));
  const to = path.posix.normalize(path.posix.join(path.posix.dirname(name), target));
  if (path.isAbsolute(target) || to.startsWith('..')) {
    throw new ArmatureError(
      'config.invalid',
      `${path.join(folder, name)} links to ${target}, outside the package; put the file itself there.`,
    );
  }
  return name;
}
