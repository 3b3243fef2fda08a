import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { blocksIn, fileHeader, fileProblem, frameBlock, frameChunk, journalHeader, openBlockIn } from './framing.ts';

/** Bytes that compress to a different length. */
function recordsOf(sequence: number): Uint8Array {
  return Uint8Array.from({ length: 40 + sequence }, (_, index) => (index * 31 + sequence * 7) % 256);
}

async function fileOf(...sequences: readonly number[]): Promise<Buffer> {
  const blocks = sequences.map((sequence) =>
    frameBlock({ sequence, firstMs: sequence * 1_000, lastMs: sequence * 1_000 + 999 }, recordsOf(sequence)),
  );
  return Buffer.concat([fileHeader(), ...(await Promise.all(blocks))]);
}

/** Numbers of the blocks whose records read back as written; fails if one reads back as something else. */
async function readable(file: Buffer): Promise<number[]> {
  if (fileProblem(file) !== undefined) return [];
  const found: number[] = [];
  for (const block of blocksIn(file)) {
    const records = await block.records();
    if (records === undefined) continue;
    expect(Buffer.from(records).equals(recordsOf(block.sequence))).toBe(true);
    expect(block).toMatchObject({ firstMs: block.sequence * 1_000, lastMs: block.sequence * 1_000 + 999 });
    found.push(block.sequence);
  }
  return found;
}

describe('a file of blocks', () => {
  it('is read as it was written', async () => {
    expect(await readable(await fileOf(4, 5, 6))).toEqual([4, 5, 6]);
  });

  it('that was cut anywhere gives the blocks before the cut', { timeout: 60_000 }, async () => {
    const file = await fileOf(1, 2, 3);
    const ends = await Promise.all([fileOf(1), fileOf(1, 2), fileOf(1, 2, 3)]);
    for (let length = 0; length <= file.length; length++) {
      const whole = ends.filter((end) => end.length <= length).length;
      expect(await readable(file.subarray(0, length))).toEqual([1, 2, 3].slice(0, whole));
    }
  });

  it('goes on behind a block that was torn', async () => {
    const [torn, next] = [await fileOf(1), await fileOf(2, 3)];
    const file = Buffer.concat([torn.subarray(0, torn.length - 20), next.subarray(fileHeader().length)]);
    expect(await readable(file)).toEqual([2, 3]);
  });

  it('loses one block to one wrong byte, wherever it is', { timeout: 60_000 }, async () => {
    const whole = await fileOf(1, 2, 3);
    for (let place = fileHeader().length; place < whole.length; place++) {
      const file = Buffer.from(whole);
      file[place] = (file[place] ?? 0) ^ 0x40;
      const found = await readable(file);
      // Nobody reads the three reserved bytes, but the checksum covers them too.
      expect(found).toHaveLength(2);
    }
  });

  it('of any bytes is read without a throw', { timeout: 60_000 }, async () => {
    const whole = await fileOf(1, 2, 3);
    await fc.assert(
      fc.asyncProperty(fc.array(fc.tuple(fc.nat(), fc.nat(255)), { maxLength: 60 }), async (changes) => {
        const file = Buffer.from(whole);
        for (const [place, byte] of changes) file[place % file.length] = byte;
        await readable(file);
      }),
    );
  });

  it('takes no block that says that it has more than any has', { timeout: 60_000 }, async () => {
    const bomb = await frameBlock({ sequence: 1, firstMs: 0, lastMs: 0 }, new Uint8Array(9 * 1024 * 1024));
    const [block] = blocksIn(Buffer.concat([fileHeader(), bomb]));
    expect(await block?.records()).toBeUndefined();
  });

  it('is refused where it is another program’s, or of a newer version', async () => {
    const file = await fileOf(1);
    expect(fileProblem(file)).toBeUndefined();
    expect(fileProblem(Buffer.from('{"a": 1}'))).toBe('not-ours');
    file[7] = 9;
    expect(fileProblem(file)).toBe('newer');
  });
});

describe('the open block', () => {
  const chunks = [Buffer.from('first'), Buffer.from('second')];
  const journal = Buffer.concat([journalHeader(7), ...chunks.map((chunk) => frameChunk(chunk))]);

  it('is what was whole, wherever its file ends', () => {
    const found = new Set<string>();
    for (let length = 0; length <= journal.length; length++) {
      const open = openBlockIn(journal.subarray(0, length));
      if (open !== undefined) expect(open.sequence).toBe(7);
      found.add(open?.records.toString() ?? '');
    }
    expect([...found]).toEqual(['', 'first', 'firstsecond']);
  });

  it('ends before a chunk that is damaged', () => {
    const damaged = Buffer.from(journal);
    damaged[damaged.length - 1] = 0;
    expect(openBlockIn(damaged)?.records.toString()).toBe('first');
  });
});
