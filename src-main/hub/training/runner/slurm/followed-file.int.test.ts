import { appendFileSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { FollowedFile } from './followed-file.ts';

describe('a file that is followed', () => {
  let folder = '';
  let lines: string[] = [];

  beforeEach(() => {
    folder = mkdtempSync(path.join(os.tmpdir(), 'armature-followed-'));
    lines = [];
  });

  afterEach(() => rmSync(folder, { recursive: true }));

  const file = (): string => path.join(folder, 'out.log');
  const follow = (position = 0): FollowedFile => new FollowedFile(file(), position, (line) => lines.push(line));

  it('is passed on line by line from where an earlier reader ended, however it is written', async () => {
    const first = follow();
    await first.read();
    expect(first.resumeAt).toBe(0);
    writeFileSync(file(), 'one\ntw');
    await first.read();
    expect(lines).toEqual(['one']);
    expect(first.resumeAt).toBe(4);
    appendFileSync(file(), 'o\r\nthree');
    await first.read();
    expect(lines).toEqual(['one', 'two']);

    lines = [];
    const second = follow(first.resumeAt);
    await second.read();
    appendFileSync(file(), ' and more');
    await second.read();
    second.end();
    expect(lines).toEqual(['three and more']);
    expect(second.resumeAt).toBe(23);
  });

  it('may be larger than one chunk', async () => {
    const long = Array.from({ length: 30_000 }, (_, index) => `line ${index}`);
    writeFileSync(file(), `${long.join('\n')}\n`);
    await follow().read();
    expect(lines).toEqual(long);
  });

  it('is not read if it is a link', async () => {
    writeFileSync(path.join(folder, 'secret'), 'secret\n');
    symlinkSync('secret', file());
    await expect(follow().read()).rejects.toMatchObject({ code: 'ELOOP' });
    expect(lines).toEqual([]);
  });
});
