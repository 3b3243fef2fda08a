import { setImmediate } from 'node:timers/promises';
import type { Pack } from 'tar-stream';
import { toArmatureError } from '../../base/errors.ts';
import { addFile, tarGzip } from '../../base/tar/tar-gzip.ts';
import { version } from '../version.ts';

/** A text, in chunks if it is long, or bytes that contain no text: only those go into a bundle unmasked. */
export type BundleContent = string | readonly string[] | Buffer;

/** A part of the bundle. If it fails, the bundle has none of it. */
export interface BundlePart {
  /** Path of the file in the bundle, or of the folder: `log.txt`, `diagnostics/`. */
  readonly name: string;
  /** Its description: one sentence for people. */
  readonly about: string;
  /** Its files, by their paths in the bundle. A failure is described in the bundle. */
  files(signal: AbortSignal): AsyncIterable<readonly [name: string, content: BundleContent]>;
}

export interface BundleOptions {
  readonly parts: readonly BundlePart[];
  /** Masks secrets in every text. */
  readonly mask: (text: string) => string;
  /** Wall-clock milliseconds. */
  readonly now: number;
  readonly signal: AbortSignal;
}

/** A part of one file. */
export function filePart(
  name: string,
  about: string,
  read: (signal: AbortSignal) => BundleContent | Promise<BundleContent>,
): BundlePart {
  return {
    name,
    about,
    async *files(signal) {
      yield [name, await read(signal)];
    },
  };
}

/** `armature-support-2026-03-01T10-20-30`: the folder in a bundle, and its file without `.tar.gz`. */
export function bundleName(now: number): string {
  return `armature-support-${new Date(now).toISOString().slice(0, 19).replaceAll(':', '-')}`;
}

/**
 * A support bundle: a gzip of a tar archive, made at the reader's pace. All texts in it are masked.
 */
export function supportBundle(options: BundleOptions): AsyncGenerator<Uint8Array> {
  return tarGzip((tar) => write(tar, options));
}

async function write(tar: Pack, { parts, mask, now, signal }: BundleOptions): Promise<void> {
  const folder = bundleName(now);
  const mtime = new Date(now);
  const missing: string[] = [];
  const add = (name: string, content: string | Buffer): Promise<void> =>
    addFile(tar, { name: `${folder}/${name}`, mode: 0o600, mtime }, content);
  for (const part of parts) {
    try {
      for await (const [name, content] of part.files(signal)) {
        signal.throwIfAborted();
        await add(name, await masked(content, mask));
      }
    } catch (thrown) {
      signal.throwIfAborted();
      missing.push(`${part.name}: ${toArmatureError(thrown).message}`);
    }
  }
  await add('README.txt', mask(readme(parts, missing, mtime)));
  tar.finalize();
}

async function masked(content: BundleContent, mask: (text: string) => string): Promise<string | Buffer> {
  if (typeof content === 'string') return mask(content);
  if (Buffer.isBuffer(content)) return content;
  const pieces: Buffer[] = [];
  for (const piece of content) {
    pieces.push(Buffer.from(mask(piece)));
    // A motor controlled by the same thread must not wait for a long log.
    await setImmediate();
  }
  return Buffer.concat(pieces);
}

function readme(parts: readonly BundlePart[], missing: readonly string[], time: Date): string {
  return [
    `Support bundle of Armature ${version}, collected at ${time.toISOString()}.`,
    '',
    ...parts.map(({ name, about }) => `  ${name.padEnd(26)} ${about}`),
    '',
    'Secrets of the configuration and of the environment, and what looks like one, are replaced by ***.',
    'Names, addresses of computers, paths and whatever programs have logged are not: look through it before you send it.',
    ...(missing.length === 0
      ? []
      : ['', 'Could not be collected, in whole or in part:', ...missing.map((one) => `  ${one}`)]),
    '',
  ].join('\n');
}
