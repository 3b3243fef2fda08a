import { pipeline } from 'node:stream/promises';
import type { Extract, Header } from 'tar-stream';
import { ByteSource } from './byte-source.ts';

/** An entry of a tar archive, with its name as written there. */
export interface TarEntry {
  readonly name: string;
  readonly kind: 'file' | 'directory' | 'symlink' | 'hardlink';
  /** Target of a link. */
  readonly linkName: string;
  /** Size of a file. */
  readonly bytes: number;
  /** Permission bits. */
  readonly mode: number;
  /** Content of a file. Read it before the next entry; the rest is skipped. */
  chunks(): AsyncGenerator<Buffer, void>;
}

/** Limits for an archive's use of time, memory and disk. */
export interface TarLimits {
  readonly entries: number;
  /** Limit for all unpacked data, including headers. */
  readonly bytes: number;
  /** Unpacked bytes per packed byte; applies beyond {@link SMALL_BYTES} unpacked. */
  readonly ratio: number;
  /** Total size of all extension headers: pax, GNU long names. */
  readonly headerBytes: number;
}

/** The largest trees of modules, an interpreter and its packages, have some 30,000 files. */
export const tarLimits: TarLimits = { entries: 50_000, bytes: 4 * 1024 ** 3, ratio: 200, headerBytes: 16 * 1024 ** 2 };

/** Any archive may unpack to this size, whatever its ratio: a small archive of a large empty file does no harm. */
export const SMALL_BYTES = 64 * 1024 * 1024;
/** Size of one extension header: names, times, extended attributes. */
const LONGEST_HEADER = 64 * 1024;
/** Most extension headers before one entry: pax, its global kind, a long name, a long link. */
const MAX_HEADERS = 4;
/** Types of extension headers, all that the library knows: pax for one entry and for all, GNU names and links. */
const MORE_TYPES = ['x', 'g', 'L', 'N', 'K'];
/** Most bytes of a name, and most folders in it. */
const LONGEST_NAME = 1_000;
const DEEPEST_NAME = 100;

const BLOCK = 512;
const DAMAGED = 'it is no tar archive, or a damaged one: a header of it is wrong';
const SKIP_BYTES = 1024 * 1024;
const kinds: Readonly<Record<string, TarEntry['kind']>> = {
  file: 'file',
  'contiguous-file': 'file',
  link: 'hardlink',
  symlink: 'symlink',
  directory: 'directory',
};
const otherKinds: Readonly<Record<string, string>> = {
  '3': 'a character device',
  '4': 'a block device',
  '6': 'a fifo',
  S: 'a sparse file (pack it without --sparse)',
};

export interface TarOptions {
  /** Size of the packed archive. */
  readonly archiveBytes: number;
  readonly limits: TarLimits;
  /**
   * Makes the error for a refused archive.
   * @param why completes "it is refused: ..."
   */
  readonly refuse: (why: string) => Error;
}

/**
 * Reads an untrusted tar archive (POSIX.1-2024 "pax Interchange Format", ustar, GNU long names). Refuses anything but
 * files, folders and links, and an archive as soon as it exceeds a limit.
 * @param archive already decompressed
 * @throws what `refuse` makes
 */
export async function* readTar(
  archive: AsyncIterable<Uint8Array>,
  options: TarOptions,
): AsyncGenerator<TarEntry, void> {
  // Loaded with the first archive: it would cost each start 9 ms and 0.3 MiB.
  const { extract } = await import('tar-stream');
  // Its types lack this option: archives from before ustar.
  const tar = extract({ allowUnknownFormat: true } as object);
  const gate = new TarGate(archive, options);
  let broken: unknown;
  tar.on('entry', ({ type, size }) => gate.pass(type === 'directory' ? 0 : size));
  tar.once('error', (error) => (broken = error));
  tar.once('close', () => gate.pass(0));
  void pipeline(gate.bytes(), tar).catch(() => undefined); // the entries end with the same error
  try {
    for await (const content of tar) {
      const entry = gate.checked(content.header);
      yield { ...entry, chunks: () => gate.chunks(content, entry.bytes) };
      content.resume();
    }
  } catch (thrown) {
    if (thrown !== broken || thrown === gate.fault) throw thrown;
    throw options.refuse(DAMAGED);
  }
}

type Content = Extract extends AsyncIterable<infer One> ? One : never;

/**
 * Checks an archive before the library reads it. The library has no suitable limits: it accepts any number of headers
 * of 4 MB, and copies a global one for every entry. So extension headers are measured here first. The library says
 * where the next header is.
 */
class TarGate {
  readonly #source: ByteSource;
  readonly #options: TarOptions;
  #entries = 0;
  #headerBytes = 0;
  /** Of the header that the library is reading. */
  #type = '';
  #onSize: ((bytes: number) => void) | undefined;
  /** Why the archive ended, if not because of the library. */
  fault: Error | undefined;

  constructor(archive: AsyncIterable<Uint8Array>, options: TarOptions) {
    this.#source = new ByteSource(archive);
    this.#options = options;
  }

  /** Passes `bytes` of content on, as many as the last header states. */
  pass(bytes: number): void {
    this.#onSize?.(bytes);
  }

  /** The data for the library. */
  async *bytes(): AsyncGenerator<Buffer, void> {
    const source = this.#source;
    let headers = 0;
    try {
      for (;;) {
        const header = source.takeNow(BLOCK) ?? (await source.take(BLOCK));
        if (header.length === 0) break;
        if (header.length < BLOCK) throw this.#cutOff();
        this.#checkBytes(0);
        if (isEmpty(header)) break;
        this.#type = String.fromCharCode(header[156] ?? 0);
        if (MORE_TYPES.includes(this.#type)) {
          const text = await this.#more(header, ++headers);
          // A global header belongs to no entry; after an empty one the library loses its position.
          if (this.#type !== 'g' && text.length > 0) yield Buffer.concat([header, text]);
          continue;
        }
        headers = 0;
        const size = new Promise<number>((resolve) => (this.#onSize = resolve));
        yield header;
        for (let left = padded(await size); left > 0;) {
          const chunk = await source.takeSome(left);
          if (chunk === undefined) throw this.#cutOff();
          left -= chunk.length;
          this.#checkBytes(0);
          yield chunk;
        }
      }
      // Reads to the end, so that the checksum of the compression is checked.
      while ((await source.takeSome(SKIP_BYTES)) !== undefined) this.#checkBytes(0);
    } catch (thrown) {
      this.fault = thrown as Error;
      throw thrown;
    }
  }

  /**
   * The entry that the library read.
   * @throws the error made by `refuse`
   */
  checked({ name, linkname, type, size, mode, pax }: Header): Omit<TarEntry, 'chunks'> {
    const { refuse, limits } = this.#options;
    if (++this.#entries > limits.entries) {
      throw refuse(`it has more than ${limits.entries} entries, which is the most`);
    }
    // Null for some invalid numbers: the library would wait for such content forever.
    if (!Number.isSafeInteger(size)) throw refuse(DAMAGED);
    // Null where there is none, whatever the type says.
    const linkName = (linkname as string | null) ?? '';
    for (const one of [name, linkName]) {
      const shown = `${one.slice(0, 80)}${one.length > 80 ? '...' : ''}`;
      const length = Buffer.byteLength(one);
      if (length > LONGEST_NAME) {
        throw refuse(`"${shown}" has a name that is too long: ${length} bytes, the most is ${LONGEST_NAME}`);
      }
      const depth = one.split('/').length - 1;
      if (depth > DEEPEST_NAME) throw refuse(`"${shown}" lies ${depth} folders deep, the most is ${DEEPEST_NAME}`);
    }
    if (Object.keys(pax ?? {}).some((key) => key.startsWith('GNU.sparse'))) {
      throw refuse('it has sparse files: pack it without --sparse');
    }
    // Archivers from before the type for folders existed write their names like that.
    const kind = kinds[type] === 'file' && name.endsWith('/') ? 'directory' : kinds[type];
    if (kind === undefined) {
      const what = otherKinds[this.#type] ?? `of the unknown type ${JSON.stringify(this.#type)}`;
      throw refuse(`"${name}" is ${what}; a package has only files, folders and links`);
    }
    const bytes = kind === 'file' ? size : 0;
    this.#checkBytes(bytes);
    return { name, kind, linkName, bytes, mode: mode & 0o7777 };
  }

  /**
   * Without the iterator of the stream, which costs more than the bytes of a short file.
   * @throws the reason why the archive ended
   */
  async *chunks(content: Content, bytes: number): AsyncGenerator<Buffer, void> {
    let wake = (): void => undefined;
    content.on('readable', () => wake());
    content.on('close', () => wake());
    for (let left = bytes; left > 0;) {
      const chunk = content.read() as Buffer | null;
      if (chunk !== null) {
        left -= chunk.length;
        yield chunk;
      } else if (content.destroying) {
        throw this.fault ?? this.#cutOff();
      } else {
        await new Promise<void>((resolve) => (wake = resolve));
      }
    }
  }

  /** The text of an extension header, one of `count` before an entry. */
  async #more(header: Buffer, count: number): Promise<Buffer> {
    const { limits, refuse } = this.#options;
    const size = /^ *([0-7]+)[ \0]*$/.exec(header.toString('latin1', 124, 136))?.[1];
    if (size === undefined) throw refuse(DAMAGED);
    const bytes = Number.parseInt(size, 8);
    if (bytes > LONGEST_HEADER) throw refuse(`a header of it has ${bytes} bytes, the most is ${LONGEST_HEADER}`);
    if (count > MAX_HEADERS) throw refuse(`an entry has more than ${MAX_HEADERS} headers before it`);
    this.#headerBytes += bytes;
    if (this.#headerBytes > limits.headerBytes) {
      throw refuse(`its headers have more than ${limits.headerBytes} bytes, which is the most`);
    }
    const text = await this.#source.take(padded(bytes));
    if (text.length < padded(bytes)) throw this.#cutOff();
    return text;
  }

  #checkBytes(more: number): void {
    const { limits, refuse, archiveBytes } = this.#options;
    const bytes = this.#source.taken + more;
    if (bytes > limits.bytes) throw refuse(`more than ${limits.bytes} bytes come out of it, which is the most`);
    if (bytes > SMALL_BYTES && bytes > archiveBytes * limits.ratio) {
      throw refuse(`more than ${limits.ratio} times its own size comes out of it, which is the most`);
    }
  }

  #cutOff(): Error {
    return this.#options.refuse('it ends in the middle of a file');
  }
}

function padded(bytes: number): number {
  return Math.ceil(bytes / BLOCK) * BLOCK;
}

/** An all-zero header, perhaps with a checksum: the library makes no entry from it. */
function isEmpty(header: Buffer): boolean {
  return header[0] === 0 && header.every((byte, index) => byte === 0 || (index >= 148 && index < 156));
}
