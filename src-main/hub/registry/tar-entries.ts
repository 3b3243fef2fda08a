import { ArmatureError } from '../../base/errors.ts';
import { ByteSource } from './byte-source.ts';

/** An entry of a tar archive, its name as it is written there. */
export interface TarEntry {
  readonly name: string;
  readonly kind: 'file' | 'directory' | 'symlink' | 'hardlink';
  /** Of a link: where it leads. */
  readonly linkName: string;
  readonly bytes: number;
  /** Permission bits. */
  readonly mode: number;
  /** Of a file that was asked for. */
  readonly content: Buffer | undefined;
}

export interface TarLimits {
  readonly entries: number;
  /** Of everything that is unpacked. */
  readonly bytes: number;
}

const BLOCK = 512;
/** Longest name or pax header. */
const LONGEST_HEADER = 1024 * 1024;
const kinds: Readonly<Record<string, TarEntry['kind']>> = {
  '\0': 'file',
  '0': 'file',
  '7': 'file',
  '1': 'hardlink',
  '2': 'symlink',
  '5': 'directory',
};

/** @returns the refusal of a package, for its publisher to read */
export function badPackage(why: string): ArmatureError {
  return new ArmatureError('registry.bad_package', `The package is refused: ${why}.`);
}

/**
 * Reads a tar archive (ustar, pax, GNU long names) without unpacking it.
 * Anything but files, folders and links is refused.
 * @param wants whether the content of a file is to be read into memory
 * @throws {ArmatureError} `registry.bad_package`
 */
export async function* readTar(
  archive: AsyncIterable<Uint8Array>,
  limits: TarLimits,
  wants: (name: string, bytes: number) => boolean,
): AsyncGenerator<TarEntry> {
  const source = new ByteSource(archive);
  let said: { name?: string; linkName?: string; bytes?: number } = {};
  for (let count = 0; ;) {
    const header = await source.take(BLOCK);
    if (header.length === 0) break;
    if (header.length < BLOCK) throw cutOff();
    if (header.every((byte) => byte === 0)) break;
    checkSum(header);
    const type = String.fromCharCode(header[156] ?? 0);
    const written = numberAt(header, 124, 12);
    if (type === 'x' || type === 'g' || type === 'L' || type === 'K') {
      const text = await content(source, written, LONGEST_HEADER);
      // What is said of all entries names none of them.
      if (type === 'x') said = { ...said, ...paxOf(text) };
      else if (type === 'L') said = { ...said, name: textOf(text) };
      else if (type === 'K') said = { ...said, linkName: textOf(text) };
      continue;
    }
    const bytes = said.bytes ?? written;
    if (source.taken + bytes > limits.bytes) throw tooLarge(limits);
    const name = said.name ?? nameAt(header);
    const kind = kinds[type];
    if (kind === undefined)
      throw badPackage(`"${name}" is no file, folder or link, but of type ${JSON.stringify(type)}`);
    if (++count > limits.entries) throw badPackage(`it has more than ${limits.entries} files`);
    const isRead = kind === 'file' && wants(name, bytes);
    const read = isRead ? await content(source, bytes, bytes) : undefined;
    const size = kind === 'file' ? bytes : 0;
    if (!isRead && (await source.skip(padded(size))) < padded(size)) throw cutOff();
    const linkName = said.linkName ?? textOf(header.subarray(157, 257));
    yield { name, kind, linkName, bytes: size, mode: numberAt(header, 100, 8) & 0o7777, content: read };
    said = {};
  }
  // To its end, so that what the compression says of itself is checked.
  while ((await source.skip(LONGEST_HEADER)) > 0) if (source.taken > limits.bytes) throw tooLarge(limits);
}

async function content(source: ByteSource, bytes: number, most: number): Promise<Buffer> {
  if (bytes > most) throw badPackage(`a header of the archive has ${bytes} bytes`);
  const all = await source.take(padded(bytes));
  if (all.length < padded(bytes)) throw cutOff();
  return Buffer.from(all.subarray(0, bytes));
}

function padded(bytes: number): number {
  return Math.ceil(bytes / BLOCK) * BLOCK;
}

function checkSum(header: Buffer): void {
  let sum = 0;
  for (let index = 0; index < BLOCK; index++) sum += index >= 148 && index < 156 ? 0x20 : (header[index] ?? 0);
  if (sum !== numberAt(header, 148, 8))
    throw badPackage('it is no tar archive, or a damaged one: a header has a wrong sum');
}

/** A number in octal digits, or, where the first bit is set, in binary. */
function numberAt(header: Buffer, offset: number, length: number): number {
  const field = header.subarray(offset, offset + length);
  let value = 0;
  if (((field[0] ?? 0) & 0x80) !== 0) {
    for (const [index, byte] of field.entries()) value = value * 256 + (index === 0 ? byte & 0x7f : byte);
  } else {
    const digits = textOf(field).trim();
    value = digits === '' ? 0 : /^[0-7]+$/.test(digits) ? Number.parseInt(digits, 8) : Number.NaN;
  }
  if (!Number.isSafeInteger(value))
    throw badPackage('it is no tar archive, or a damaged one: a header has a number that is none');
  return value;
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

/** Records `<length> <key>=<value>\n` of a pax header. */
function paxOf(header: Buffer): { name?: string; linkName?: string; bytes?: number } {
  const said: { name?: string; linkName?: string; bytes?: number } = {};
  for (let offset = 0; offset < header.length;) {
    const space = header.indexOf(0x20, offset);
    const length = Number(header.toString('latin1', offset, space));
    const record = header.toString('utf8', space + 1, offset + length - 1);
    const equals = record.indexOf('=');
    if (space === -1 || !Number.isInteger(length) || length < 5 || offset + length > header.length || equals < 1) {
      throw badPackage('a pax header of the archive is damaged');
    }
    const [key, value] = [record.slice(0, equals), record.slice(equals + 1)];
    if (key.startsWith('GNU.sparse')) throw badPackage('it has sparse files: pack it without --sparse');
    if (key === 'path') said.name = value;
    else if (key === 'linkpath') said.linkName = value;
    else if (key === 'size') {
      if (!/^\d{1,15}$/.test(value)) throw badPackage('a pax header of the archive has a size that is none');
      said.bytes = Number(value);
    }
    offset += length;
  }
  return said;
}

function cutOff(): ArmatureError {
  return badPackage('it ends in the middle of a file');
}

function tooLarge({ bytes }: TarLimits): ArmatureError {
  return badPackage(`unpacked it has more than ${bytes} bytes`);
}
