import { randomBytes } from 'node:crypto';
import { execFileSync } from 'node:child_process';
import {
  mkdtemp,
  lstat,
  readdir,
  readFile,
  readlink,
  rm,
  stat,
  writeFile,
  mkdir,
  symlink,
  link,
} from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { tarLimits } from '../../../base/tar/read-tar.ts';
import { archiveOf, moduleEntries, type TestEntry } from '../testing/test-archive.ts';
import { unpack, type UnpackOptions } from './unpack.ts';

let home: string;
let archive: string;
let folder: string;
const never = new AbortController().signal;

beforeEach(async () => {
  home = await mkdtemp(path.join(tmpdir(), 'unpack-'));
  archive = path.join(home, 'package.tar.gz');
  folder = path.join(home, 'out', 'here');
  await mkdir(path.dirname(folder));
});
afterEach(() => rm(home, { recursive: true }));

async function unpacked(entries: readonly TestEntry[], options: Partial<UnpackOptions> = {}): Promise<void> {
  await writeFile(archive, await archiveOf(entries));
  await unpack({ archive, folder, signal: never, ...options });
}

describe('unpacking', () => {
  it('makes files, folders and links, with rights of its own', async () => {
    await unpacked([
      { name: './lib/libone.so.1', content: 'one' },
      { name: 'lib/libone.so', type: 'symlink', linkname: 'libone.so.1' },
      { name: 'bin/deep/run', mode: 0o6777, content: 'run' },
      { name: 'bin/deep/up', type: 'symlink', linkname: '../../lib/libone.so' },
      { name: 'bin/same', type: 'link', linkname: './bin/deep/run' },
      { name: 'empty/', type: 'directory', mode: 0o000 },
      { name: 'none' },
    ]);
    expect((await stat(path.join(folder, 'bin/deep/run'))).mode & 0o7777).toBe(0o755);
    expect((await stat(path.join(folder, 'lib/libone.so.1'))).mode & 0o7777).toBe(0o644);
    expect((await stat(path.join(folder, 'empty'))).mode & 0o7777).toBe(0o755);
    expect(await readlink(path.join(folder, 'lib/libone.so'))).toBe('libone.so.1');
    expect(await readFile(path.join(folder, 'bin/deep/up'), 'utf8')).toBe('one');
    expect((await stat(path.join(folder, 'bin/same'))).ino).toBe((await stat(path.join(folder, 'bin/deep/run'))).ino);
    expect(await readFile(path.join(folder, 'none'), 'utf8')).toBe('');
  });

  it('takes what the tar of this computer makes, long names and big files among it', async () => {
    const from = path.join(home, 'from');
    const long = `${'a-long-name-'.repeat(12)}x`;
    await mkdir(path.join(from, long, 'ü'), { recursive: true });
    const big = randomBytes(3_000_001);
    await writeFile(path.join(from, long, 'ü', 'big'), big);
    await writeFile(path.join(from, 'twice'), 'twice');
    await link(path.join(from, 'twice'), path.join(from, 'twice-linked'));
    await symlink(`${long}/ü/big`, path.join(from, 'soft'));
    for (const format of ['gnu', 'pax', 'ustar']) {
      if (format === 'ustar') for (const one of [long, 'soft']) await rm(path.join(from, one), { recursive: true });
      execFileSync('tar', ['-C', from, `--format=${format}`, '-czf', archive, '.', './twice']);
      await rm(folder, { recursive: true, force: true });
      await unpack({ archive, folder, signal: never });
      expect(await readdir(folder, { recursive: true })).toEqual(await readdir(from, { recursive: true }));
      expect(await readFile(path.join(folder, 'twice-linked'), 'utf8')).toBe('twice');
      if (format !== 'ustar') expect((await readFile(path.join(folder, 'soft'))).equals(big)).toBe(true);
    }
  });

  it('takes the later of two entries with one name', async () => {
    await unpacked([
      { name: 'run', content: 'old' },
      { name: 'run', content: 'new', mode: 0o755 },
    ]);
    expect(await readFile(path.join(folder, 'run'), 'utf8')).toBe('new');
  });

  it.each<[string, TestEntry[], string]>([
    ['a path upwards', [{ name: '../evil', content: 'x' }], 'entry ../evil leads out of the package'],
    ['a path upwards further on', [{ name: 'a/b/../../../evil', content: 'x' }], 'leads out of the package'],
    ['a folder upwards', [{ name: 'a/../../evil/', type: 'directory' }], 'leads out of the package'],
    ['an absolute path', [{ name: '/tmp/evil', content: 'x' }], 'is an absolute path'],
    ['an absolute link', [{ name: 'l', type: 'symlink', linkname: '/etc/passwd' }], 'a link to the absolute path'],
    ['a link upwards', [{ name: 'a/l', type: 'symlink', linkname: '../../evil' }], 'leads out of the package'],
    ['a link to the folder above', [{ name: 'l', type: 'symlink', linkname: '..' }], 'leads out of the package'],
    [
      'a link that is led out by another link',
      [
        { name: 'a/b/top', type: 'symlink', linkname: '../..' },
        { name: 'a/b/l', type: 'symlink', linkname: 'top/../evil' },
      ],
      'without ".." behind a name',
    ],
    [
      'a file written through a link',
      [
        { name: 'l', type: 'symlink', linkname: 'real' },
        { name: 'real/', type: 'directory' },
        { name: 'l/evil', content: 'x' },
      ],
      'is a link and something else',
    ],
    [
      'a link made through a link',
      [
        { name: 'l', type: 'symlink', linkname: 'real' },
        { name: 'l/evil', type: 'symlink', linkname: 'x' },
      ],
      'lies in l, which is a link',
    ],
    ['a hard link upwards', [{ name: 'h', type: 'link', linkname: '../../secret' }], 'leads out of the package'],
    ['a hard link to an absolute path', [{ name: 'h', type: 'link', linkname: '/etc/passwd' }], 'is an absolute path'],
    [
      'a hard link to a link',
      [
        { name: 'l', type: 'symlink', linkname: 'x' },
        { name: 'h', type: 'link', linkname: 'l' },
      ],
      'is no file of the package',
    ],
    ['a device', [{ name: 'null', type: 'character-device', devmajor: 1, devminor: 3 }], 'is a character device'],
    ['a pipe', [{ name: 'pipe', type: 'fifo' }], 'is a fifo'],
    [
      'a file that is a folder',
      [
        { name: 'a/b', content: 'x' },
        { name: 'a', content: 'x' },
      ],
      'is a file and a folder',
    ],
    [
      'a file in a file',
      [
        { name: 'a', content: 'x' },
        { name: 'a/b', content: 'x' },
      ],
      'lies in a, which is a file',
    ],
    ['a name that is too long', [{ name: `${'x'.repeat(300)}`, content: 'x' }], 'too long'],
    ['a zero byte', [{ name: 'a', pax: { path: 'a\0b' }, content: 'x' }], 'zero byte'],
  ])('refuses %s, and writes nothing outside', async (_what, entries, why) => {
    await writeFile(path.join(home, 'secret'), 'secret');
    const rejected = await unpacked(entries).then(
      () => undefined,
      (thrown: unknown) => thrown,
    );
    expect(rejected).toMatchObject({ code: 'module.bad_package', message: expect.stringContaining(why) as string });
    expect((await readdir(home)).sort()).toEqual(['out', 'package.tar.gz', 'secret']);
    expect(await readdir(path.join(home, 'out'))).toEqual(['here']);
    expect((await lstat(path.join(home, 'secret'))).nlink).toBe(1);
  });

  it.each([
    ['entries', { entries: 3 }, 'more than 3 entries, which is the most'],
    ['bytes', { bytes: 1_500 }, 'more than 1500 bytes come out of it'],
  ])('ends at the limit of %s', async (_what, limit, why) => {
    const entries = Array.from({ length: 4 }, (_one, index) => ({ name: `f${index}`, content: 'x'.repeat(40) }));
    await expect(unpacked(entries, { limits: { ...tarLimits, ...limit } })).rejects.toThrow(why);
  });

  it('refuses what only costs time: headers without end, and one header for all entries', async () => {
    const many = Array.from({ length: 6_000 }, (_one, index) => [`key${index}`, 'x'] as const);
    await expect(unpacked([{ name: 'f', pax: Object.fromEntries(many), content: 'x' }])).rejects.toThrow(
      /a header of it has \d+ bytes, the most is 65536/,
    );
  });

  it('ends where much more comes out than went in', async () => {
    await expect(unpacked([{ name: 'zeros', content: Buffer.alloc(80 * 1024 * 1024) }])).rejects.toThrow('200 times');
    expect(await readdir(folder)).toEqual([]);
  });

  it('finds what was cut or changed', async () => {
    const whole = await archiveOf([...moduleEntries('a:b'), { name: 'data', content: randomBytes(50_000) }]);
    for (let tenth = 0; tenth < 10; tenth++) {
      await writeFile(archive, whole.subarray(0, Math.floor((whole.length * tenth) / 10)));
      await rm(folder, { recursive: true, force: true });
      await expect(unpack({ archive, folder, signal: never })).rejects.toMatchObject({ code: 'module.bad_package' });
    }
    const changed = Buffer.from(whole);
    changed[changed.length >> 1]! ^= 0xff;
    await writeFile(archive, changed);
    await rm(folder, { recursive: true, force: true });
    await expect(unpack({ archive, folder, signal: never })).rejects.toMatchObject({ code: 'module.bad_package' });
  });

  it.each([
    ['text', Buffer.from('this is no archive at all'.repeat(100))],
    ['gzip of something else', gzipSync(Buffer.from('this is no archive at all'.repeat(100)))],
  ])('says that %s is no archive', async (_what, bytes) => {
    await writeFile(archive, bytes);
    await expect(unpack({ archive, folder, signal: never })).rejects.toThrow(/it is no (whole \.tar\.gz|tar archive)/);
  });

  it('ends as soon as nobody wants it any more', async () => {
    const controller = new AbortController();
    const done = unpacked([{ name: 'data', content: randomBytes(5_000_000) }], {
      signal: controller.signal,
      onRead: () => controller.abort(new Error('not wanted')),
    });
    await expect(done).rejects.toThrow('not wanted');
  });

  it('leaves space on the disk', async () => {
    const entries = [{ name: 'data', content: randomBytes(100) }];
    await expect(unpacked(entries, { freeFloorBytes: 2 ** 60 })).rejects.toMatchObject({ code: 'module.no_space' });
  });
});
