import {
  appendFileSync,
  chmodSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { execFileSync } from 'node:child_process';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { BlockEncoder } from '../format/block-encoder.ts';
import { decodeBlock } from '../format/block-decoder.ts';
import { newestTime, storedBlocks } from '../reading/stored-blocks.ts';
import { gauge } from '../source.ts';
import { recordFile } from './file-names.ts';
import { defaultRoom, isFullDisk, RecordFiles, type RecordFilesOptions } from './record-files.ts';

const KiB = 1_024;
let home: string;
let folder: string;
let options: RecordFilesOptions;

beforeEach(() => {
  home = mkdtempSync(path.join(tmpdir(), 'armature-diagnostics-'));
  folder = path.join(home, 'machine');
  options = { folder, configPath: '/etc/machine.json' };
});
afterEach(() => rmSync(home, { recursive: true }));

/**
 * A block with one sample a second; its values are its times.
 * @param noise approximate number of bytes that cannot be compressed
 */
function block(firstMs: number, samples: number, noise = 0): Uint8Array {
  const encoder = new BlockEncoder();
  const id = encoder.define('test', [gauge('value'), ...Array.from({ length: noise / 7 }, (_, at) => gauge(`${at}`))]);
  for (let at = 0; at < samples; at++) {
    const time = firstMs + at * 1_000;
    const values = Float64Array.from({ length: 1 + Math.floor(noise / 7) }, () => Math.floor(Math.random() * 2 ** 48));
    values[0] = time;
    encoder.sample(time, [{ id, values }]);
  }
  return encoder.since(0).slice();
}

async function append(files: RecordFiles, firstMs: number, samples = 1, noise = 0): Promise<void> {
  await files.append({ firstMs, lastMs: firstMs + (samples - 1) * 1_000 }, block(firstMs, samples, noise));
}

/** Times of all samples that a reader finds, and what it could not read. */
async function found(from = 0, to = Infinity): Promise<{ times: number[]; unreadable: string[] }> {
  const times: number[] = [];
  const unreadable: string[] = [];
  for await (const records of storedBlocks(folder, { from, to }, undefined, (what) => unreadable.push(what))) {
    decodeBlock(records, { row: (timeMs) => void times.push(timeMs) });
  }
  return { times, unreadable };
}

describe('files of records', () => {
  it('are for their owner alone, and say whose they are', async () => {
    const files = await RecordFiles.open(options);
    await append(files, 1_000);
    await files.keep(block(2_000, 1));
    expect(statSync(folder).mode & 0o777).toBe(0o700);
    for (const name of readdirSync(folder)) expect(statSync(path.join(folder, name)).mode & 0o777, name).toBe(0o600);
    expect(JSON.parse(readFileSync(path.join(folder, 'machine.json'), 'utf8'))).toEqual({
      config: '/etc/machine.json',
    });
    await files.close();
  });

  it('are read while they are written, the open block among them, each sample once', async () => {
    const files = await RecordFiles.open(options);
    await append(files, 1_000, 2);
    await files.keep(block(3_000, 2));
    expect((await found()).times).toEqual([1_000, 2_000, 3_000, 4_000]);
    await append(files, 3_000, 3);
    expect((await found()).times).toEqual([1_000, 2_000, 3_000, 4_000, 5_000]);
    expect(await newestTime(folder)).toBe(5_000);
    await files.close();
  });

  it('have what a killed process kept of its open block, and go on behind it', async () => {
    const killed = await RecordFiles.open(options);
    await append(killed, 1_000, 2);
    await killed.keep(block(3_000, 2));
    await killed.close(); // as after a kill: the open block was not appended
    const files = await RecordFiles.open(options);
    expect(files.nextSequence).toBe(3);
    await append(files, 9_000);
    await files.close();
    expect(await found()).toEqual({ times: [1_000, 2_000, 3_000, 4_000, 9_000], unreadable: [] });
  });

  it('go on behind a torn block, which costs itself alone', async () => {
    const files = await RecordFiles.open(options);
    await append(files, 1_000);
    await files.close();
    const file = recordFile(folder, 1);
    const whole = readFileSync(file);
    appendFileSync(file, whole.subarray(8, whole.length - 5));
    const again = await RecordFiles.open(options);
    await append(again, 5_000);
    await again.close();
    expect((await found()).times).toEqual([1_000, 5_000]);
  });

  it('leave out what is damaged or not theirs, and tell it', async () => {
    const files = await RecordFiles.open(options);
    await append(files, 1_000);
    await append(files, 2_000);
    await files.close();
    const file = recordFile(folder, 1);
    const bytes = readFileSync(file);
    bytes[bytes.length - 1] = (bytes[bytes.length - 1] ?? 0) ^ 0xff;
    writeFileSync(file, bytes);
    writeFileSync(recordFile(folder, 2), 'something else');
    expect(await found()).toEqual({
      times: [1_000],
      unreadable: [`a block of ${file} is damaged`, `${recordFile(folder, 2)} is no file of diagnostics`],
    });
  });

  it('are a ring: the oldest file goes where there is no room', async () => {
    const room = { ...defaultRoom, total: 64 * KiB, files: 8, least: 1 * KiB };
    const files = await RecordFiles.open({ ...options, room });
    for (let at = 0; at < 60; at++) await append(files, at * 1_000, 1, 3 * KiB);
    const sizes = readdirSync(folder).filter((name) => name.endsWith('.armdiag'));
    const bytes = sizes.reduce((sum, name) => sum + statSync(path.join(folder, name)).size, 0);
    expect(bytes).toBeLessThanOrEqual(64 * KiB);
    expect(bytes).toBeGreaterThan(40 * KiB);
    expect(sizes.length).toBeGreaterThan(4);
    const { times } = await found();
    expect(times.at(-1)).toBe(59_000);
    expect(times).toEqual(Array.from(times, (_, index) => 59_000 - (times.length - 1 - index) * 1_000));
    await files.close();
  });

  it('take no more than their share of the free disk, and stop where that is too little', async () => {
    let free = 4_000 * KiB;
    const room = { ...defaultRoom, files: 4, least: 16 * KiB };
    const files = await RecordFiles.open({ ...options, room, freeBytes: () => Promise.resolve(free) });
    for (let at = 0; at < 100; at++) await append(files, at * 1_000, 1, 3 * KiB);
    const bytes = readdirSync(folder).reduce((sum, name) => sum + statSync(path.join(folder, name)).size, 0);
    expect(bytes).toBeLessThan(0.05 * 4_400 * KiB);
    free = 10 * KiB;
    const refused = await append(files, 200_000).catch((thrown: unknown) => thrown);
    expect(isFullDisk(refused)).toBe(true);
    free = 4_000 * KiB;
    await append(files, 300_000);
    expect((await found()).times.at(-1)).toBe(300_000);
    await files.close();
  });

  it('lose what a full disk does not take, and nothing else', async (context) => {
    const disk = mkdtempSync(path.join(tmpdir(), 'armature-small-disk-'));
    onTestFinished(() => rmSync(disk, { recursive: true }));
    try {
      execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=256k', 'tmpfs', disk], { stdio: 'ignore' });
    } catch {
      context.skip('no file system can be mounted here');
    }
    onTestFinished(() => void execFileSync('umount', ['-l', disk]));
    folder = path.join(disk, 'machine');
    const room = { ...defaultRoom, least: 1 * KiB };
    // Another program fills the disk after the free space was checked.
    const files = await RecordFiles.open({ ...options, folder, room, freeBytes: () => Promise.resolve(1_024 ** 3) });
    await append(files, 1_000, 1, 3 * KiB);
    const filler = path.join(disk, 'filler');
    const failure = await Promise.resolve()
      .then(() => writeFileSync(filler, Buffer.alloc(512 * KiB)))
      .catch((thrown: unknown) => thrown);
    expect(isFullDisk(failure)).toBe(true);
    expect(isFullDisk(await append(files, 2_000, 8, 6 * KiB).catch((thrown: unknown) => thrown))).toBe(true);
    expect(await found()).toEqual({ times: [1_000], unreadable: [] });
    rmSync(filler);
    await append(files, 3_000, 3, 6 * KiB);
    await files.close();
    expect(await found()).toEqual({ times: [1_000, 3_000, 4_000, 5_000], unreadable: [] });
  });

  it('are one process’s', async () => {
    const files = await RecordFiles.open(options);
    await expect(RecordFiles.open(options)).rejects.toMatchObject({ code: 'store.in_use' });
    await files.close();
    await (await RecordFiles.open(options)).close();
  });

  it('are found by their times, also where the clock was set back in between', async () => {
    const room = { ...defaultRoom, total: 40 * KiB, files: 10, least: 1 * KiB };
    const files = await RecordFiles.open({ ...options, room });
    for (const at of [500_000, 501_000, 100_000, 101_000, 502_000]) await append(files, at, 1, 3 * KiB);
    await files.close();
    expect((await found(100_000, 100_500)).times).toEqual([100_000]);
    expect((await found(501_000, 501_500)).times).toEqual([501_000]);
    expect((await found(502_000, 600_000)).times).toEqual([502_000]);
    expect((await found(700_000, 800_000)).times).toEqual([]);
  });

  it.skipIf(process.getuid?.() === 0)('say which folder cannot be written', async () => {
    chmodSync(home, 0o500);
    await expect(RecordFiles.open(options)).rejects.toMatchObject({ code: 'EACCES' });
    chmodSync(home, 0o700);
  });
});
