/** An entry of a test archive; also invalid ones that no normal tool writes. */
export interface MadeEntry {
  readonly name: string;
  readonly content?: string | Uint8Array;
  /** Type flag of tar; `0`, a file, if absent. */
  readonly type?: string;
  readonly linkName?: string;
  readonly mode?: number;
  /** Replaces the written size. */
  readonly size?: string;
}

const BLOCK = 512;

function octal(value: number, length: number): string {
  return `${value.toString(8).padStart(length - 1, '0')}\0`;
}

function header({ name, type = '0', linkName = '', mode = 0o644, size }: MadeEntry, bytes: number): Buffer {
  const block = Buffer.alloc(BLOCK);
  block.write(name, 0, 100);
  block.write(octal(mode, 8), 100);
  block.write(octal(0, 8) + octal(0, 8), 108);
  block.write(size ?? octal(bytes, 12), 124, 12, 'latin1');
  block.write(octal(0, 12), 136);
  block.fill(' ', 148, 156);
  block.write(type, 156);
  block.write(linkName, 157, 100);
  block.write('ustar\x0000', 257, 'latin1');
  const sum = block.reduce((all, byte) => all + byte, 0);
  block.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148);
  return block;
}

/** Keys and values of a pax header for the next entry. */
export function paxHeader(records: readonly (readonly [string, string])[]): MadeEntry {
  const text = records.map(([key, value]) => {
    const rest = ` ${key}=${value}\n`;
    let length = rest.length + 1;
    while (String(length).length + rest.length !== length) length++;
    return `${length}${rest}`;
  });
  return { name: 'pax', type: 'x', content: text.join('') };
}

/** A tar archive with exactly the given bytes: no library writes invalid ones, or headers without an entry. */
export function makeTar(entries: readonly MadeEntry[]): Buffer {
  const blocks = entries.flatMap((entry) => {
    const content = Buffer.from(entry.content ?? '');
    return [header(entry, content.length), content, Buffer.alloc((BLOCK - (content.length % BLOCK)) % BLOCK)];
  });
  return Buffer.concat([...blocks, Buffer.alloc(2 * BLOCK)]);
}
