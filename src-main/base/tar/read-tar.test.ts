import { Readable } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { readTar, tarLimits } from './read-tar.ts';
import { makeTar, paxHeader, type MadeEntry } from './testing/make-tar.ts';

const MB = 1024 * 1024;

async function read(tar: Buffer, limits = tarLimits): Promise<string[]> {
  const found: string[] = [];
  const pieces = Readable.from([tar.subarray(0, 700), tar.subarray(700)]);
  for await (const entry of readTar(pieces, { archiveBytes: MB, limits, refuse: (why) => new Error(why) })) {
    const chunks: Buffer[] = [];
    if (entry.name !== 'left-out') for await (const chunk of entry.chunks()) chunks.push(chunk);
    found.push(`${entry.kind} ${entry.name} ${entry.bytes} ${Buffer.concat(chunks).toString()}`.trim());
  }
  return found;
}

const content = 'x'.repeat(3_000);

describe('an archive', () => {
  it('is read entry by entry, whatever is taken of them', async () => {
    const tar = makeTar([
      { name: 'left-out', content },
      { name: 'folder/', type: '5' },
      { name: 'empty' },
      paxHeader([['path', 'long']]),
      { name: 'short', content: 'text' },
      { name: 'link', type: '2', linkName: 'long' },
    ]);
    expect(await read(tar)).toEqual([
      'file left-out 3000',
      'directory folder/ 0',
      'file empty 0',
      'file long 4 text',
      'symlink link 0',
    ]);
  });

  it('may have a header that says nothing', async () => {
    const tar = makeTar([
      { name: 'L', type: 'L' },
      { name: 'a', content: 'text' },
      { name: 'b', content: 'text' },
    ]);
    expect(await read(tar)).toEqual(['file a 4 text', 'file b 4 text']);
  });

  it('may be left in the middle', async () => {
    const tar = makeTar([
      { name: 'a', content },
      { name: 'b', content },
    ]);
    const options = { archiveBytes: MB, limits: tarLimits, refuse: (why: string) => new Error(why) };
    for await (const { name } of readTar(Readable.from([tar]), options)) {
      expect(name).toBe('a');
      break;
    }
  });

  it.each<readonly [string, MadeEntry, string]>([
    ['a size that is no number', { name: 'f', size: 'nonsense' }, 'a header of it is wrong'],
    ['a size below zero', { name: 'f', size: `\xff${'\0'.repeat(11)}` }, 'a header of it is wrong'],
    ['a size beyond all numbers', { name: 'f', size: `\x80${'\xff'.repeat(11)}` }, 'a header of it is wrong'],
    ['a size that is neither binary nor digits', { name: 'f', size: '\xa0123' }, 'a header of it is wrong'],
    ['a size of 8 TB', { name: 'f', size: '\x80\0\0\0\0\x08' }, 'bytes come out of it'],
    ['more to say than nothing', { name: 'f', type: 'x', size: '-0000000005\0' }, 'a header of it is wrong'],
    ['more to say, in binary', { name: 'f', type: 'x', size: '\xa0123\0' }, 'a header of it is wrong'],
    ['more to say than there is', { name: 'f', type: 'N', size: '0000007000 ' }, 'in the middle of a file'],
    ['a link with content that is not there', { name: 'l', type: '1', linkName: 'f', size: '77777777777\0' }, 'middle'],
  ])('with %s is refused', async (_what, entry, why) => {
    await expect(read(makeTar([{ name: 'first' }, entry]))).rejects.toThrow(why);
  });

  it('with content of a link beyond the limit is refused while it is read', async () => {
    const tar = makeTar([{ name: 'l', type: '1', linkName: 'f', content: Buffer.alloc(MB) }]);
    await expect(read(tar, { ...tarLimits, bytes: MB / 2 })).rejects.toThrow('bytes come out of it');
  });

  it('ends at a header that is empty but for its sum', async () => {
    const empty = Buffer.alloc(512);
    empty.write('000400', 148);
    expect(await read(Buffer.concat([makeTar([{ name: 'a' }]).subarray(0, 512), empty]))).toEqual(['file a 0']);
  });

  it('costs no more where one header says much of all entries', async () => {
    const entries = Array.from({ length: 2_000 }, (_, index) => [
      paxHeader([['a', 'b']]),
      { name: `f${index}` },
    ]).flat();
    const much = paxHeader(Array.from({ length: 6_000 }, (_, index) => [`k${index}`, '']));
    const timeOf = async (all: readonly MadeEntry[]): Promise<number> => {
      const tar = makeTar(all);
      const from = performance.now();
      await read(tar);
      return performance.now() - from;
    };
    const plain = Math.max(await timeOf(entries), await timeOf(entries));
    expect(await timeOf([{ ...much, type: 'g' }, ...entries])).toBeLessThan(10 * plain);
  });
});
