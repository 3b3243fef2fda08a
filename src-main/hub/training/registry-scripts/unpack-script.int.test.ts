import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { Readable } from 'node:stream';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { archiveOf } from '../../registry/testing/upload-package.ts';
import { unpackScript } from './unpack-script.ts';

type Entries = Parameters<typeof archiveOf>[0];

const script: Entries = [
  { name: 'setup.py', content: 'setup' },
  { name: 'model/training.py', content: 'train' },
];

describe('the package of a training script', () => {
  let scratch = '';
  beforeEach(async () => {
    scratch = await mkdtemp(path.join(os.tmpdir(), 'armature-script-'));
  });
  afterEach(() => rm(scratch, { recursive: true }));

  const unpack = (entries: Entries, maxBytes = 1_000) => {
    const archive = archiveOf(entries);
    return unpackScript(Readable.from([archive]), archive.length, path.join(scratch, 'script'), maxBytes);
  };

  it('is unpacked, and its script is found', async () => {
    expect(await unpack(script)).toBe(path.join(scratch, 'script'));
    expect(await readFile(path.join(scratch, 'script/model/training.py'), 'utf8')).toBe('train');
  });

  it('may have all files in one folder, like source distributions', async () => {
    const inside = script.map((entry) => ({ ...entry, name: `mine-1.0/${entry.name}` }));
    expect(await unpack([{ name: 'mine-1.0/', type: '5' }, ...inside])).toBe(path.join(scratch, 'script/mine-1.0'));
  });

  it('is unpacked without its links, which may lead anywhere', async () => {
    await unpack([...script, { name: 'passwords', type: '2', linkName: '/etc/passwd' }]);
    expect(await readdir(path.join(scratch, 'script'))).toEqual(['model', 'setup.py']);
  });

  it.each<[string, Entries, number, string, RegExp]>([
    [
      'a file outside',
      [...script, { name: '../outside', content: 'x' }],
      1_000,
      'registry.bad_package',
      /is outside of it/,
    ],
    ['no entry point', [{ name: 'setup.py' }], 1_000, 'registry.bad_package', /it has no model\/training\.py/],
    ['more than a job may write', script, 8, 'call.too_large', /more than/],
  ])('is refused for %s', async (_what, entries, maxBytes, code, message) => {
    await expect(unpack(entries, maxBytes)).rejects.toMatchObject({
      code,
      message: expect.stringMatching(message) as string,
    });
    expect(await readdir(scratch)).toEqual(['script']);
  });

  it('is refused if it is not an archive', async () => {
    const reading = unpackScript(Readable.from([Buffer.from('not a gzip')]), 10, path.join(scratch, 'script'), 1_000);
    await expect(reading).rejects.toThrow();
  });
});
