import { mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { lockFolder } from './folder-lock.ts';

let folder: string;
beforeEach(() => (folder = mkdtempSync(path.join(tmpdir(), 'lock-'))));
afterEach(() => rmSync(folder, { recursive: true }));

describe('the lock of a folder', () => {
  it('is held by one, until it is released', () => {
    const release = lockFolder(folder);
    expect(lockFolder(folder)).toEqual({ heldBy: process.pid });
    if (typeof release === 'function') release();
    expect(lockFolder(folder)).toBeTypeOf('function');
  });

  it.each(['', 'nonsense', '999999999 gone'])('is taken over from nobody: %j', (text) => {
    writeFileSync(path.join(folder, 'in-use'), text);
    expect(lockFolder(folder)).toBeTypeOf('function');
    expect(readFileSync(path.join(folder, 'in-use'), 'utf8')).toContain(`${process.pid} `);
  });

  it('is taken where its holder releases it while it is looked at', () => {
    // It exists when it should be created, and is missing when it is read.
    symlinkSync(path.join(folder, 'nowhere'), path.join(folder, 'in-use'));
    expect(lockFolder(folder)).toBeTypeOf('function');
  });
});
