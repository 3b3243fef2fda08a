import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { defaultLogFileLimits, openLogFile } from './log-file.ts';
import type { LogEntry } from '../log-entry.ts';

let folder: string;
let path: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'armature-log-'));
  path = join(folder, 'server.log');
});

afterEach(() => rmSync(folder, { recursive: true }));

function entry(message: string): LogEntry {
  return {
    seq: 1,
    time: 0,
    level: 'info',
    logger: 'core.web',
    message,
    fields: {},
    resource: undefined,
    caller: undefined,
    repeatCount: 1,
    firstTime: undefined,
  };
}

const noTrouble = (message: string): void => {
  throw new Error(message);
};

describe('a log file', () => {
  it('is 10 files of 10 MB by default', () => {
    expect(defaultLogFileLimits).toEqual({ files: 10, maxBytes: 10 * 1024 * 1024 });
  });

  it('is rotated by size and keeps the newest files only', async () => {
    const writer = openLogFile(path, { maxBytes: 200, files: 3 }, noTrouble);
    for (let index = 0; index < 40; index++) {
      writer.write(entry(`line ${index}`));
      await writer.drained();
    }
    await writer.close();
    expect(readdirSync(folder).sort()).toEqual(['server.log', 'server.log.1', 'server.log.2']);
    for (const file of readdirSync(folder)) expect(statSync(join(folder, file)).size).toBeLessThanOrEqual(200);
    const text = ['.2', '.1', ''].map((end) => readFileSync(path + end, 'utf8')).join('');
    const numbers = [...text.matchAll(/line (\d+)/g)].map(([, number]) => Number(number));
    expect(numbers.at(-1)).toBe(39);
    expect(numbers).toEqual(numbers.map((_, index) => 40 - numbers.length + index));
  });

  it('is rotated at start where an earlier run left lines in it', async () => {
    writeFileSync(path, 'earlier\n');
    const writer = openLogFile(path, defaultLogFileLimits, noTrouble);
    writer.write(entry('now'));
    await writer.close();
    expect(readFileSync(`${path}.1`, 'utf8')).toBe('earlier\n');
    expect(readFileSync(path, 'utf8')).toMatch(/now\n$/);
    expect(statSync(path).mode & 0o777).toBe(0o600);
  });

  it('has its last words on disk before the program ends', async () => {
    const writer = openLogFile(path, defaultLogFileLimits, noTrouble);
    writer.write(entry('last words'));
    writer.flushSync();
    expect(readFileSync(path, 'utf8')).toContain('last words');
    await writer.close();
  });

  it('that cannot be opened is an error that names it', () => {
    expect(() => openLogFile(join(folder, 'no/such/folder.log'), defaultLogFileLimits, noTrouble)).toThrow(
      expect.objectContaining({
        code: 'file.unwritable',
        message: expect.stringContaining('no/such/folder.log') as string,
      }),
    );
  });

  it.runIf(statSync('/dev/full', { throwIfNoEntry: false }) !== undefined)(
    'on a full disk costs lines, not the program',
    async () => {
      const troubles: string[] = [];
      const writer = openLogFile('/dev/full', defaultLogFileLimits, (message) => void troubles.push(message));
      for (let index = 0; index < 3; index++) {
        writer.write(entry('x'));
        await writer.drained();
      }
      writer.flushSync();
      expect(writer.lostLines).toBe(3);
      expect(troubles).toEqual([expect.stringMatching(/are being lost: ENOSPC/)]);
      await writer.close();
    },
  );
});
