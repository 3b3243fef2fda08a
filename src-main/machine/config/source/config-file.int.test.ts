import { execFileSync } from 'node:child_process';
import {
  chmod,
  mkdir,
  mkdtemp,
  readFile,
  readdir,
  rename,
  rm,
  stat,
  symlink,
  truncate,
  unlink,
  writeFile,
} from 'node:fs/promises';
import { once, EventEmitter } from 'node:events';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { systemClock, type Clock } from '../../../base/clock.ts';
import { ConfigFile } from './config-file.ts';
import type { ConfigChange } from './config-source.ts';
import { LARGEST_CONFIG_BYTES } from '../reading/parse-config.ts';
import { revisionOf } from '../../../base/revision.ts';

let folder: string;
let path: string;
let file: ConfigFile;
const changes: ConfigChange[] = [];
const arrived = new EventEmitter();

/** The next change; waits for it. */
async function nextChange(): Promise<ConfigChange> {
  while (changes.length === 0) await once(arrived, 'change');
  return changes.shift() as ConfigChange;
}

const textOf = (change: ConfigChange): string => (change.kind === 'changed' ? change.text : change.message);

async function follow(at = path, pollMs = 60_000, clock: Clock = systemClock): Promise<void> {
  file = new ConfigFile({ path: at, clock, settleMs: 30, emptySettleMs: 300, pollMs });
  await file.read();
  file.watch((change) => {
    changes.push(change);
    arrived.emit('change');
  });
}

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'armature-config-'));
  path = join(folder, 'machine.json');
  await writeFile(path, 'one');
  changes.length = 0;
});

afterEach(async () => {
  file.close();
  await rm(folder, { recursive: true, force: true });
});

describe('following', () => {
  it('tells of a new text with the first 12 digits of its SHA-256', async () => {
    await follow();
    await writeFile(path, 'two');
    expect(await nextChange()).toEqual({ kind: 'changed', text: 'two', revision: revisionOf('two') });
    expect(revisionOf('two')).toBe('3fc4ccfe7458');
  });

  it('sees a file renamed over it, again and again', async () => {
    await follow();
    for (const text of ['two', 'three', 'four']) {
      await writeFile(join(folder, 'new'), text);
      await rename(join(folder, 'new'), path);
      expect(textOf(await nextChange())).toBe(text);
    }
  });

  it('survives deleting and creating again, and says so in between', async () => {
    await follow();
    await unlink(path);
    expect(await nextChange()).toMatchObject({ kind: 'unreadable', error: { code: 'config.unreadable' } });
    await writeFile(path, 'two');
    expect(textOf(await nextChange())).toBe('two');
    await writeFile(path, 'three');
    expect(textOf(await nextChange())).toBe('three');
  });

  it('tells that a file is back although its text is the old one', async () => {
    await follow();
    await unlink(path);
    expect((await nextChange()).kind).toBe('unreadable');
    await writeFile(path, 'one');
    expect(await nextChange()).toMatchObject({ kind: 'changed', text: 'one' });
  });

  it('a delete or truncation that is made good at once is one change', async () => {
    await follow();
    await unlink(path);
    await writeFile(path, 'two');
    expect(textOf(await nextChange())).toBe('two');
    await writeFile(path, '');
    await writeFile(path, 'three');
    expect(textOf(await nextChange())).toBe('three');
  });

  it('tells of an empty file only when it stays empty', async () => {
    await follow();
    await writeFile(path, '');
    expect(await nextChange()).toMatchObject({ kind: 'changed', text: '' });
  });

  it('follows symbolic links whose middle is swapped', async () => {
    for (const [version, text] of [
      ['v1', 'one'],
      ['v2', 'two'],
      ['v3', 'three'],
    ] as const) {
      await mkdir(join(folder, version));
      await writeFile(join(folder, version, 'machine.json'), text);
    }
    await unlink(path);
    await symlink('v1', join(folder, 'data'));
    await symlink('data/machine.json', path);
    await follow();
    for (const version of ['v2', 'v3'] as const) {
      await symlink(version, join(folder, 'data.new'));
      await rename(join(folder, 'data.new'), join(folder, 'data'));
      expect(textOf(await nextChange())).toBe(version === 'v2' ? 'two' : 'three');
    }
    await writeFile(join(folder, 'v3', 'machine.json'), 'four');
    expect(textOf(await nextChange())).toBe('four');
  });

  it('finds the file again when its whole folder was removed and made again', async () => {
    const inner = join(folder, 'inner');
    await mkdir(inner);
    await writeFile(join(inner, 'c.json'), 'one');
    await follow(join(inner, 'c.json'), 50);
    await rm(inner, { recursive: true });
    expect((await nextChange()).kind).toBe('unreadable');
    await mkdir(inner);
    await writeFile(join(inner, 'c.json'), 'two');
    expect(textOf(await nextChange())).toBe('two');
    await writeFile(join(inner, 'c.json'), 'three');
    expect(textOf(await nextChange())).toBe('three');
  });

  it('tells once of a file that is gone, although a second sign of it comes while the first is looked into', async () => {
    let poll = (): void => undefined;
    const waits: (() => void)[] = [];
    const timer = { cancel: () => undefined };
    const clock: Clock = {
      ...systemClock,
      every: (_ms, tick) => ((poll = tick), timer),
      after: (_ms, end) => (waits.push(end), timer),
    };
    await follow(path, undefined, clock);
    const turnsAreOver = (): Promise<unknown> => file.read().catch(() => undefined);
    await turnsAreOver();
    await unlink(path);
    poll();
    // The pass for that notification starts, and waits for the file system.
    for (let tick = 0; tick < 20; tick += 1) await Promise.resolve();
    poll();
    await turnsAreOver();
    for (const end of waits) end();
    await turnsAreOver();
    expect(changes.map(({ kind }) => kind)).toEqual(['unreadable']);
  });

  it('says nothing of a file that is touched, rewritten with the same text, or has new neighbours', async () => {
    await follow();
    await writeFile(path, 'one');
    await chmod(path, 0o644);
    await writeFile(join(folder, 'other'), 'x');
    await writeFile(path, 'last');
    expect(textOf(await nextChange())).toBe('last');
    expect(changes).toEqual([]);
  });

  it('refuses what is not UTF-8 and takes the next text that is', async () => {
    await follow();
    await writeFile(path, Buffer.from([0x7b, 0xff, 0x7d]));
    expect(await nextChange()).toMatchObject({ kind: 'unreadable', error: { code: 'config.invalid' } });
    await writeFile(path, 'two');
    expect(textOf(await nextChange())).toBe('two');
  });
});

describe('writing', () => {
  it('replaces the file, keeps its rights, leaves nothing behind and is not told of', async () => {
    await chmod(path, 0o640);
    await follow();
    const outcome = await file.write('two', revisionOf('one'));
    expect(outcome).toEqual({ kind: 'written', revision: revisionOf('two') });
    expect(await readFile(path, 'utf8')).toBe('two');
    expect((await stat(path)).mode & 0o777).toBe(0o640);
    expect(await readdir(folder)).toEqual(['machine.json']);
    await writeFile(path, 'by hand');
    expect(textOf(await nextChange())).toBe('by hand');
    expect(changes).toEqual([]);
  });

  it('does not write over a change it has not seen', async () => {
    await follow();
    await writeFile(path, 'by hand');
    expect(await file.write('two', revisionOf('one'))).toEqual({
      kind: 'conflict',
      text: 'by hand',
      revision: revisionOf('by hand'),
    });
    expect(await readFile(path, 'utf8')).toBe('by hand');
  });

  it('makes one of two writers from the same revision wait and find a conflict', async () => {
    await follow();
    const base = revisionOf('one');
    const outcomes = await Promise.all([file.write('two', base), file.write('three', base)]);
    expect(outcomes.map((outcome) => outcome.kind)).toEqual(['written', 'conflict']);
    expect(await readFile(path, 'utf8')).toBe('two');
  });

  it('writes through a symbolic link, which stays', async () => {
    await symlink('machine.json', join(folder, 'link.json'));
    await follow(join(folder, 'link.json'));
    await file.write('two', revisionOf('one'));
    expect(await readFile(path, 'utf8')).toBe('two');
    expect((await readdir(folder)).toSorted()).toEqual(['link.json', 'machine.json']);
  });

  it('creates a file that only its owner can read, where none was expected', async () => {
    const fresh = join(folder, 'fresh.json');
    file = new ConfigFile({ path: fresh, clock: systemClock });
    expect(await file.write('{}', '')).toMatchObject({ kind: 'written' });
    expect((await stat(fresh)).mode & 0o777).toBe(0o600);
  });

  it('makes a file again that was deleted: nothing is lost by it', async () => {
    await follow();
    await unlink(path);
    expect(await file.write('two', revisionOf('one'))).toMatchObject({ kind: 'written' });
    expect(await readFile(path, 'utf8')).toBe('two');
  });

  it('may be written where its folder may, also that of the file a link leads to', async () => {
    await symlink(join('gone', 'machine.json'), join(folder, 'link.json'));
    expect(await new ConfigFile({ path, clock: systemClock }).isWritable()).toBe(true);
    expect(await new ConfigFile({ path: join(folder, 'link.json'), clock: systemClock }).isWritable()).toBe(false);
  });

  it('says that a folder which is not there cannot be written to', async () => {
    file = new ConfigFile({ path: join(folder, 'none', 'c.json'), clock: systemClock });
    await expect(file.write('{}', '')).rejects.toMatchObject({ code: 'config.unreadable' });
  });
});

describe('what is no regular file', () => {
  it('is refused at once: a pipe, a device, a folder', async () => {
    execFileSync('mkfifo', [join(folder, 'pipe')]);
    const read = (name: string) => new ConfigFile({ path: name, clock: systemClock }).read();
    const refusal = { code: 'config.unreadable' };
    await expect(read(join(folder, 'pipe'))).rejects.toMatchObject(refusal);
    await expect(read('/dev/zero')).rejects.toThrow('/dev/zero cannot be read: it is a pipe or a device.');
    await expect(read(folder)).rejects.toMatchObject(refusal);
  });

  it('is told of as unreadable where it takes the place of the configuration, which comes back when that does', async () => {
    await follow();
    await unlink(path);
    execFileSync('mkfifo', [path]);
    expect(await nextChange()).toMatchObject({ kind: 'unreadable', error: { code: 'config.unreadable' } });
    await unlink(path);
    await symlink('/dev/zero', path);
    expect(await nextChange()).toMatchObject({
      kind: 'unreadable',
      message: expect.stringContaining('device') as string,
    });
    await writeFile(join(folder, 'new'), 'two');
    await rename(join(folder, 'new'), path);
    expect(textOf(await nextChange())).toBe('two');
  });
});

it('a file that is too large says how large it may be', async () => {
  const large = join(folder, 'large.json');
  await writeFile(large, '');
  await truncate(large, LARGEST_CONFIG_BYTES + 1);
  await expect(new ConfigFile({ path: large, clock: systemClock }).read()).rejects.toMatchObject({
    code: 'config.invalid',
    message: `${large} is too large: a configuration has at most ${LARGEST_CONFIG_BYTES} bytes (32 MiB).`,
  });
});

it('reading a file that is not there says so', async () => {
  file = new ConfigFile({ path: join(folder, 'none.json'), clock: systemClock });
  await expect(file.read()).rejects.toMatchObject({ code: 'config.unreadable' });
});
