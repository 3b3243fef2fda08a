import { ByteSource } from './byte-source.ts';

/** An entry of a tar archive, its name as it is written there. */
export interface TarEntry {
  readonly name: string;
  readonly kind: 'file' | 'directory' | 'symlink' | 'hardlink';
  /** Of a link: where it leads. */
  readonly linkName: string;
  /** Of a file. */
  readonly bytes: number;
  /** Permission bits. */
  readonly mode: number;
  /** Content of a file. To be taken before the next entry; what is not taken is left out. */
  chunks(): AsyncGenerator<Buffer, void>;
}

/** What an archive may make of a computer's time, memory and disk. */
export interface TarLimits {
  readonly entries: number;
  /** Of everything that is unpacked, headers too. */
  readonly bytes: number;
  /** Bytes that come out for each that goes in, where it is more than {@link SMALL_BYTES}. */
  readonly ratio: number;
  /** Of all headers that say more of an entry or of the archive: pax, GNU long names. */
  readonly headerBytes: number;
}

/** The largest trees of modules, an interpreter and its packages, have some 30,000 files. */
export const tarLimits: TarLimits = { entries: 50_000, bytes: 4 * 1024 ** 3, ratio: 200, headerBytes: 16 * 1024 ** 2 };

/** So much may come out of any archive: a short one of a long empty file harms nobody. */
export const SMALL_BYTES = 64 * 1024 * 1024;
/** Of one header that says more of an entry: names, times, extended attributes. */
const LONGEST_HEADER = 64 * 1024;
/** Such headers before one entry: pax, its global kind, a long name, a long link. */
const MOST_HEADERS = 4;
/** Of a name, in bytes, and of the folders in it. */
const LONGEST_NAME = 1_000;
const DEEPEST_NAME = 100;

const BLOCK = 512;
const SKIP_BYTES = 1024 * 1024;
const kinds: Readonly<Record<string, TarEntry['kind']>> = {
  '\0': 'file',
  '0': 'file',
  '7': 'file',
  '1': 'hardlink',
  '2': 'symlink',
  '5': 'directory',
};
const otherKinds: Readonly<Record<string, string>> = {
  '3': 'a character device',
  '4': 'a block device',
  '6': 'a fifo',
  S: 'a sparse file (pack it without --sparse)',
};

export interface TarOptions {
  /** What the archive itself has, packed. */
  readonly archiveBytes: number;
  readonly limits: TarLimits;
  /** Makes the error of an archive that is refused. @param why completes "it is refused: ..." */
  readonly refuse: (why: string) => Error;
}

/**
 * Reads a tar archive (POSIX.1-2024 "pax Interchange Format", ustar, GNU long names) that nobody needs to trust. Anything
 * but files, folders and links is refused, and whatever is beyond the limits as soon as that is known.
 * @param archive not packed any more
 * @throws what `refuse` makes
 */
export function readTar(archive: AsyncIterable<Uint8Array>, options: TarOptions): AsyncGenerator<TarEntry, void> {
  return new TarReader(archive, options).entries();
}

interface Said {
  name?: string;
  linkName?: string;
  bytes?: number;
}

class TarReader {
  readonly #source: ByteSource;
  readonly #options: TarOptions;
  #headerBytes = 0;
  #headers = 0;
  /** Of the file that was given last: what nobody has taken yet, and what fills its last block. */
  #left = 0;
  #padding = 0;

  constructor(archive: AsyncIterable<Uint8Array>, options: TarOptions) {
    this.#source = new ByteSource(archive);
    this.#options = options;
  }

  async *entries(): AsyncGenerator<TarEntry, void> {
    const { limits, refuse } = this.#options;
    let said: Said = {};
    for (let count = 0; ;) {
      const header = this.#source.takeNow(BLOCK) ?? (await this.#source.take(BLOCK));
      if (header.length === 0) break;
      if (header.length < BLOCK) throw this.#cutOff();
      this.#checkBytes(0);
      if (isZero(header)) break;
      this.#checkSum(header);
      const type = String.fromCharCode(header[156] ?? 0);
      const written = this.#numberAt(header, 124, 12);
      if (type === 'x' || type === 'g' || type === 'L' || type === 'K') {
        const text = await this.#header(written);
        // What is said of all entries names none of them.
        if (type === 'x') said = { ...said, ...this.#paxOf(text) };
        else if (type === 'L') said = { ...said, name: textOf(text) };
        else if (type === 'K') said = { ...said, linkName: textOf(text) };
        continue;
      }
      if (++count > limits.entries) throw refuse(`it has more than ${limits.entries} entries, which is the most`);
      const entry = this.#entryOf(header, type, said, said.bytes ?? written);
      this.#checkBytes(entry.bytes);
      said = {};
      this.#headers = 0;
      this.#left = entry.bytes;
      this.#padding = padded(entry.bytes) - entry.bytes;
      yield entry;
      const rest = this.#left + this.#padding;
      if (rest > 0 && this.#source.takeNow(rest) === undefined && (await this.#source.skip(rest)) < rest) {
        throw this.#cutOff();
      }
    }
    // To its end, so that what the compression says of itself is checked.
    while ((await this.#source.skip(SKIP_BYTES)) > 0) this.#checkBytes(0);
  }

  #entryOf(header: Buffer, type: string, said: Said, bytes: number): TarEntry {
    const { refuse } = this.#options;
    const name = said.name ?? nameAt(header);
    const linkName = said.linkName ?? textOf(header.subarray(157, 257));
    for (const one of [name, linkName]) {
      const shown = `${one.slice(0, 80)}${one.length > 80 ? '...' : ''}`;
      const length = Buffer.byteLength(one);
      if (length > LONGEST_NAME) {
        throw refuse(`"${shown}" has a name that is too long: ${length} bytes, the most is ${LONGEST_NAME}`);
      }
      const depth = one.split('/').length - 1;
      if (depth > DEEPEST_NAME) throw refuse(`"${shown}" lies ${depth} folders deep, the most is ${DEEPEST_NAME}`);
    }
    // Archivers from before there was a type for folders write their names like that.
    const kind = kinds[type] === 'file' && name.endsWith('/') ? 'directory' : kinds[type];
    if (kind === undefined) {
      const what = otherKinds[type] ?? `of the unknown type ${JSON.stringify(type)}`;
      throw refuse(`"${name}" is ${what}; a package has only files, folders and links`);
    }
    const mode = this.#numberAt(header, 100, 8) & 0o7777;
    const size = kind === 'file' ? bytes : 0;
    return { name, kind, linkName, bytes: size, mode, chunks: () => this.#chunks() };
  }

  async *#chunks(): AsyncGenerator<Buffer, void> {
    while (this.#left > 0) {
      const chunk = await this.#source.takeSome(this.#left);
      if (chunk === undefined) throw this.#cutOff();
      this.#left -= chunk.length;
      yield chunk;
    }
  }

  /** The text of a header that says more. */
  async #header(bytes: number): Promise<Buffer> {
    const { limits, refuse } = this.#options;
    if (bytes > LONGEST_HEADER) throw refuse(`a header of it has ${bytes} bytes, the most is ${LONGEST_HEADER}`);
    if (++this.#headers > MOST_HEADERS) throw refuse(`an entry has more than ${MOST_HEADERS} headers before it`);
    this.#headerBytes += bytes;
    if (this.#headerBytes > limits.headerBytes) {
      throw refuse(`its headers have more than ${limits.headerBytes} bytes, which is the most`);
    }
    const all = await this.#source.take(padded(bytes));
    if (all.length < padded(bytes)) throw this.#cutOff();
    return all.subarray(0, bytes);
  }

  #checkBytes(more: number): void {
    const { limits, refuse, archiveBytes } = this.#options;
    const bytes = this.#source.taken + more;
    if (bytes > limits.bytes) throw refuse(`more than ${limits.bytes} bytes come out of it, which is the most`);
    if (bytes > SMALL_BYTES && bytes > archiveBytes * limits.ratio) {
      throw refuse(`more than ${limits.ratio} times its own size comes out of it, which is the most`);
    }
  }

  #checkSum(header: Buffer): void {
    let sum = 0;
    for (let index = 0; index < BLOCK; index++) sum += index >= 148 && index < 156 ? 0x20 : (header[index] ?? 0);
    if (sum !== this.#numberAt(header, 148, 8))
      throw this.#options.refuse('it is no tar archive, or a damaged one: a header has a wrong sum');
  }

  /** A number in octal digits, or, where the first bit is set, in binary. */
  #numberAt(header: Buffer, offset: number, length: number): number {
    const field = header.subarray(offset, offset + length);
    let value = 0;
    if (((field[0] ?? 0) & 0x80) !== 0) {
      for (const [index, byte] of field.entries()) value = value * 256 + (index === 0 ? byte & 0x7f : byte);
    } else {
      const digits = textOf(field).trim();
      value = digits === '' ? 0 : /^[0-7]+$/.test(digits) ? Number.parseInt(digits, 8) : Number.NaN;
    }
    if (!Number.isSafeInteger(value))
      throw this.#options.refuse('it is no tar archive, or a damaged one: a header has a number that is none');
    return value;
  }

  /** Records `<length> <key>=<value>\n` of a pax header. */
  #paxOf(header: Buffer): Said {
    const said: Said = {};
    for (let offset = 0; offset < header.length;) {
      const space = header.indexOf(0x20, offset);
      const length = Number(header.toString('latin1', offset, space));
      const record = header.toString('utf8', space + 1, offset + length - 1);
      const equals = record.indexOf('=');
      if (space === -1 || !Number.isInteger(length) || length < 5 || offset + length > header.length || equals < 1) {
        throw this.#options.refuse('a pax header of the archive is damaged');
      }
      const [key, value] = [record.slice(0, equals), record.slice(equals + 1)];
      if (key.startsWith('GNU.sparse')) throw this.#options.refuse('it has sparse files: pack it without --sparse');
      if (key === 'path') said.name = value;
      else if (key === 'linkpath') said.linkName = value;
      else if (key === 'size') {
        if (!/^\d{1,15}$/.test(value))
          throw this.#options.refuse('a pax header of the archive has a size that is none');
        said.bytes = Number(value);
      }
      offset += length;
    }
    return said;
  }

  #cutOff(): Error {
    return this.#options.refuse('it ends in the middle of a file');
  }
}

function padded(bytes: number): number {
  return Math.ceil(bytes / BLOCK) * BLOCK;
}

const ZEROS = Buffer.alloc(BLOCK);

function isZero(header: Buffer): boolean {
  return header.equals(ZEROS);
}

function nameAt(header: Buffer): string {
  const name = textOf(header.subarray(0, 100));
  // GNU writes other things into the place of the prefix.
  const hasPrefix = header.toString('latin1', 257, 263) === 'ustar\0';
  const prefix = hasPrefix ? textOf(header.subarray(345, 500)) : '';
  return prefix === '' ? name : `${prefix}/${name}`;
}

/** Up to the first zero. */
function textOf(field: Buffer): string {
  const end = field.indexOf(0);
  return field.toString('utf8', 0, end === -1 ? field.length : end);
}
