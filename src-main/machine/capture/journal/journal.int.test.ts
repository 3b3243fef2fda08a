import fc from 'fast-check';
import { mkdir, mkdtemp, readdir, readFile, rm, truncate, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { DataType, type UploadMetadata } from '../../../../proto/gen/core/app/datasync/v1/data_sync.ts';
import { ManualClock } from '../../../base/clock.ts';
import { silentLogger, type Logger } from '../../../base/logger.ts';
import { metadataNamed } from '../testing/capture-fixture.ts';
import type { CaptureStream } from './capture-file.ts';
import { COMMIT_MS, Journal, MAX_WAITING_BYTES } from './journal.ts';

describe('the journal of what is captured', () => {
  let home = '';
  let folder = '';
  let clock: ManualClock;
  let said: string[] = [];
  const logger: Logger = {
    ...silentLogger,
    info: (message: string) => void said.push(message),
    warn: (message: string) => void said.push(message),
    error: (message: string) => void said.push(message),
  };

  beforeEach(async () => {
    home = await mkdtemp(path.join(os.tmpdir(), 'armature-journal-'));
    folder = path.join(home, 'capture');
    await mkdir(folder);
    clock = new ManualClock();
    said = [];
  });
  afterEach(() => rm(home, { recursive: true, force: true }));

  const stream = (name: string): CaptureStream => ({ metadata: metadataNamed(name) });
  const open = async (fileBytes = 100_000): Promise<Journal> => {
    const journal = new Journal({ folder, fileBytes: () => fileBytes, clock, logger });
    await journal.open();
    return journal;
  };
  /** Each reading as `<component>:<text>`, in the order of the files. */
  const contents = async (journal: Journal): Promise<string[]> => {
    const all: string[] = [];
    for (const file of journal.files) {
      for (const { metadata, readings } of (await journal.read(file)).streams) {
        all.push(...readings.map(({ bytes }) => `${metadata.componentName}:${Buffer.from(bytes).toString()}`));
      }
    }
    return all;
  };
  const add = (journal: Journal, of: CaptureStream, text: string): void =>
    journal.append({ stream: of, reading: Buffer.from(text) });
  const unfinished = async (): Promise<string> => {
    const name = (await readdir(folder)).find((one) => one.endsWith('.prog'));
    if (name === undefined) throw new Error('no file is being written');
    return path.join(folder, name);
  };

  it('gives back what was put in, each stream with what its readings share, file after file', async () => {
    const journal = await open(400);
    const [a, b] = [stream('a'), stream('b')];
    for (let index = 0; index < 20; index++) {
      add(journal, index % 2 === 0 ? a : b, `${index}`);
      if (index % 5 === 4) await journal.seal();
    }
    expect(journal.files.length).toBeGreaterThan(3);
    expect((await contents(journal)).toSorted()).toEqual(
      Array.from({ length: 20 }, (_, index) => `${index % 2 === 0 ? 'a' : 'b'}:${index}`).toSorted(),
    );
    const [first] = journal.files;
    if (first === undefined) throw new Error('no file');
    const { metadata } = (await journal.read(first)).streams[0] ?? {};
    expect(metadata).toEqual(a.metadata satisfies UploadMetadata);
    expect(metadata?.type).toBe(DataType.TABULAR_SENSOR);
    await journal.close();
  });

  it('is in a file within the time of a commit, without anybody asking for it', async () => {
    const journal = await open();
    add(journal, stream('a'), 'x');
    clock.advance(COMMIT_MS);
    // As after a kill: the program that wrote it does nothing more.
    await expect.poll(async () => (await readFile(await unfinished())).includes('x')).toBe(true);
    const next = await open();
    expect(await contents(next)).toEqual(['a:x']);
    await journal.close();
  });

  it('has every whole reading after a cut at any byte, and says what it cut off', async () => {
    const journal = await open();
    const texts = Array.from({ length: 30 }, (_, index) => `reading-${index}`);
    for (const text of texts) add(journal, stream('a'), text);
    await journal.seal();
    const whole = await readFile(journal.files[0]?.path ?? '');
    await journal.close();
    await fc.assert(
      fc.asyncProperty(fc.nat(whole.length), async (bytes) => {
        await rm(folder, { recursive: true });
        await mkdir(folder);
        const before = await open();
        add(before, stream('b'), 'earlier');
        await before.seal();
        await writeFile(path.join(folder, '000000000009.prog'), whole.subarray(0, bytes));
        const after = await open();
        const found = await contents(after);
        expect(found[0]).toBe('b:earlier');
        expect(found.slice(1)).toEqual(texts.slice(0, found.length - 1).map((text) => `a:${text}`));
        // Less than a whole reading is cut off, so no complete reading was lost.
        const used = await Promise.all(after.files.slice(1).map(({ path: file }) => readFile(file)));
        expect(bytes - (used[0]?.length ?? 0)).toBeLessThan(bytes === 0 ? 1 : 400);
        expect((await readdir(folder)).filter((name) => name.endsWith('.prog'))).toEqual([]);
      }),
      { numRuns: 60 },
    );
  });

  it('a byte that was changed on the disk ends the file there; what is before it stays', async () => {
    const journal = await open();
    for (const text of ['one', 'two', 'three']) add(journal, stream('a'), text);
    await journal.seal();
    const [file] = journal.files;
    if (file === undefined) throw new Error('no file');
    const bytes = await readFile(file.path);
    bytes.write('T', bytes.indexOf('two'));
    await writeFile(file.path, bytes);
    expect(await contents(journal)).toEqual(['a:one']);
    await writeFile(file.path, bytes.subarray(20));
    await expect(contents(journal)).rejects.toMatchObject({ code: 'file.unreadable' });
    await journal.close();
  });

  it('keeps what the disk does not take, and writes it once it does, each reading once', async () => {
    const journal = await open();
    const a = stream('a');
    add(journal, a, '1');
    await journal.seal();
    // A folder cannot be created where a file is.
    await rm(folder, { recursive: true });
    await writeFile(folder, '');
    add(journal, a, '2');
    await journal.seal();
    expect(journal.trouble).not.toBe('');
    add(journal, a, '3');
    await rm(folder);
    clock.advance(1_000);
    await expect.poll(() => journal.trouble).toBe('');
    await journal.seal();
    const next = await open();
    expect(await contents(next)).toEqual(['a:2', 'a:3']);
    expect(said.filter((line) => line.includes('cannot be written'))).toHaveLength(1);
    expect(said.at(-1)).toContain('written again');
    await journal.close();
  });

  it('says so where a file cannot become a whole one, until it writes again', async () => {
    const journal = await open();
    add(journal, stream('a'), '1');
    clock.advance(COMMIT_MS);
    const file = await expect.poll(unfinished).toBeDefined().then(unfinished);
    await rm(file);
    await journal.seal();
    expect(journal.trouble).not.toBe('');
    add(journal, stream('a'), '2');
    await journal.seal();
    expect(journal.trouble).toBe('');
    expect(await contents(journal)).toEqual(['a:2']);
    await journal.close();
  });

  it('lets go of the oldest readings where memory is full too, and counts them', async () => {
    const journal = await open();
    await rm(folder, { recursive: true });
    await writeFile(folder, '');
    const large = 'x'.repeat(MAX_WAITING_BYTES / 4);
    for (const text of ['1', '2', '3', '4', '5', '6']) add(journal, stream('a'), text + large);
    await journal.seal();
    for (const text of ['7', '8']) add(journal, stream('a'), text + large);
    await journal.seal();
    expect(journal.lost).toBe(5);
    await rm(folder);
    clock.advance(1_000);
    await expect.poll(() => journal.trouble).toBe('');
    await journal.seal();
    expect((await contents(journal)).map((text) => text.slice(0, 3))).toEqual(['a:6', 'a:7', 'a:8']);
    await journal.close();
  });

  it('a file of which nothing ever was on the disk is no file', async () => {
    const journal = await open();
    await journal.close();
    await writeFile(path.join(folder, '000000000003.prog'), '');
    const next = await open();
    expect(next.files).toEqual([]);
    add(next, stream('a'), 'x');
    await next.seal();
    expect(next.files.map(({ number }) => number)).toEqual([4]);
    await truncate(next.files[0]?.path ?? '', 0);
    await next.removeOldest();
    expect(await readdir(folder)).toEqual([]);
    await next.close();
  });
});
