import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { mkdir, rename, rm, stat } from 'node:fs/promises';
import path from 'node:path';
import { pipeline } from 'node:stream/promises';
import { ArmatureError } from '../../../base/errors.ts';
import { JsonRecord } from '../../../base/files/json-record.ts';
import { signatureOf } from './file-watch.ts';
import { readMeta } from '../meta-file.ts';
import { namesIn } from '../package-store.ts';
import { unpack } from './unpack.ts';

/** An archive of this computer, unpacked. */
export interface UnpackedArchive {
  /** First digits of its SHA-256, which identify the content. */
  readonly content: string;
  readonly root: string;
  readonly entrypoint: string;
  readonly firstRun: string;
  readonly isSetUp: boolean;
}

type ArchiveMetadata = Omit<UnpackedArchive, 'root' | 'content'>;

const HALF = '.unpack';
const STATE_END = '.json';
const CONTENT_DIGITS = 16;

export interface ArchiveUnpackOptions {
  readonly signal: AbortSignal;
  readonly onRead: (bytes: number, totalBytes: number) => void;
  readonly freeFloorBytes?: number;
}

/** What the archives of one local module were unpacked to, by content: `<folder>/<content>/` and `<content>.json`. */
export class ArchiveStore {
  readonly #folder: string;

  /** @param folder used by this module and this machine only */
  constructor(folder: string) {
    this.#folder = folder;
  }

  /**
   * Unpacks an archive, unless the same content is there already.
   * @throws {ArmatureError} `module.bad_package`, `module.no_space`; errors of the file system
   */
  async unpack(archive: string, options: ArchiveUnpackOptions): Promise<UnpackedArchive> {
    const before = await signatureOf(archive);
    const content = await contentOf(archive, options.signal);
    const known = await this.#find(content);
    if (known !== undefined) return known;
    await mkdir(this.#folder, { recursive: true, mode: 0o700 });
    const half = path.join(this.#folder, HALF);
    await rm(half, { recursive: true, force: true });
    try {
      const { size } = await stat(archive);
      const { signal, onRead, freeFloorBytes } = options;
      await unpack({
        archive,
        folder: half,
        signal,
        onRead: (bytes) => onRead(bytes, size),
        ...(freeFloorBytes === undefined ? {} : { freeFloorBytes }),
      });
      const { entrypoint, firstRun } = await readMeta(half);
      if ((await signatureOf(archive)) !== before) {
        throw new ArmatureError('module.bad_package', 'it was changed while it was unpacked');
      }
      const metadata: ArchiveMetadata = { entrypoint, firstRun, isSetUp: firstRun === '' };
      await this.remove(content);
      const root = this.#rootOf(content);
      await rename(half, root);
      await this.#record(content).save(metadata);
      return { ...metadata, content, root };
    } catch (thrown) {
      await rm(half, { recursive: true, force: true });
      throw thrown;
    }
  }

  async markSetUp(archive: UnpackedArchive): Promise<UnpackedArchive> {
    const { content, root: _root, ...metadata } = archive;
    await this.#record(content).save({ ...metadata, isSetUp: true });
    return { ...archive, isSetUp: true };
  }

  /** Deletes all except these. */
  async keepOnly(contents: ReadonlySet<string>): Promise<void> {
    for (const name of await namesIn(this.#folder)) {
      const content = name.replace(/\.json$/, '');
      if (content.startsWith('.')) await rm(path.join(this.#folder, name), { recursive: true, force: true });
      else if (!contents.has(content)) await this.remove(content);
    }
  }

  async remove(content: string): Promise<void> {
    await this.#record(content).save(undefined);
    await rm(this.#rootOf(content), { recursive: true, force: true });
  }

  async #find(content: string): Promise<UnpackedArchive | undefined> {
    const metadata = await this.#record(content).load();
    if (metadata === undefined) return undefined;
    const root = this.#rootOf(content);
    const program = await stat(path.join(root, metadata.entrypoint)).catch(() => undefined);
    return program?.isFile() === true ? { ...metadata, content, root } : undefined;
  }

  #rootOf(content: string): string {
    return path.join(this.#folder, content);
  }

  #record(content: string): JsonRecord<ArchiveMetadata> {
    return new JsonRecord({
      path: `${this.#rootOf(content)}${STATE_END}`,
      isValid: isMetadata,
      what: 'What is known of a module archive',
      nextStep: 'It is unpacked again at the next start.',
    });
  }
}

async function contentOf(archive: string, signal: AbortSignal): Promise<string> {
  const hash = createHash('sha256');
  await pipeline(createReadStream(archive), hash, { signal });
  return hash.digest('hex').slice(0, CONTENT_DIGITS);
}

function isMetadata(value: unknown): value is ArchiveMetadata {
  const { entrypoint, firstRun, isSetUp } = (value ?? {}) as Record<string, unknown>;
  return typeof entrypoint === 'string' && typeof firstRun === 'string' && typeof isSetUp === 'boolean';
}
