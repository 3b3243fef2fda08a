import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdtemp, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { placeOf } from './open-store.ts';
import { lockStore } from './store-lock.ts';
import { testStores, type TestPlace } from './testing/test-stores.ts';

const lockModule = new URL('./store-lock.ts', import.meta.url).href;

describe.each(testStores)('the lock of a store on $name', (kind) => {
  let place: TestPlace;

  beforeEach(async () => (place = await kind.makePlace()));
  afterEach(() => place.remove());

  const lock = () => lockStore(place.address, { onLost: () => undefined });

  it('is held by one at a time, and its error names the place without a password', async () => {
    const first = await lock();
    await expect(lock()).rejects.toMatchObject({
      code: 'store.in_use',
      message: expect.stringContaining(placeOf(place.address)) as string,
    });
    await first.release();
    const second = await lock();
    await second.release();
  });

  it('is released when the program is killed', async () => {
    const code = `
      const { lockStore } = await import(${JSON.stringify(lockModule)});
      const lock = await lockStore(${JSON.stringify(place.address)}, { onLost: () => undefined });
      process.stdout.write('locked');
      setInterval(() => lock, 1000);`;
    const holder = spawn(process.execPath, ['--input-type=module', '-e', code], {
      stdio: ['ignore', 'pipe', 'inherit'],
      timeout: 20_000,
      killSignal: 'SIGKILL',
    });
    await once(holder.stdout, 'data');
    await expect(lock()).rejects.toMatchObject({ code: 'store.in_use' });
    holder.kill('SIGKILL');
    await once(holder, 'exit');
    await expect
      .poll(() =>
        lock()
          .then((held) => held.release())
          .then(
            () => true,
            () => false,
          ),
      )
      .toBe(true);
  });
});

describe.runIf(process.getuid?.() === 0)('the lock of a folder that other users may read', () => {
  const NOBODY = 65_534;
  let folder = '';

  beforeEach(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'armature-lock-'));
    await chmod(folder, 0o755);
  });
  afterEach(() => rm(folder, { recursive: true }));

  /** Another user tries to hold a shared lock. @returns the result */
  async function heldByNobody(): Promise<{ said: string; end: () => Promise<void> }> {
    const code = `
      try {
        const { DatabaseSync } = require('node:sqlite');
        const file = new DatabaseSync(${JSON.stringify(path.join(folder, 'hub.lock'))}, { readOnly: true });
        file.exec('BEGIN');
        file.prepare('SELECT * FROM sqlite_master').all();
        process.stdout.write('held');
        setInterval(() => file, 1000);
      } catch (thrown) {
        process.stdout.write(thrown.message);
      }`;
    const holder = spawn(process.execPath, ['-e', code], {
      uid: NOBODY,
      gid: NOBODY,
      cwd: '/',
      env: {},
      stdio: ['ignore', 'pipe', 'inherit'],
      timeout: 20_000,
      killSignal: 'SIGKILL',
    });
    const exited = once(holder, 'exit');
    const [said] = (await once(holder.stdout, 'data')) as [Buffer];
    const end = async (): Promise<void> => {
      holder.kill('SIGKILL');
      await exited;
    };
    return { said: said.toString(), end };
  }

  it.each([
    ['was never there', undefined],
    ['an earlier version left readable for all', 0o644],
  ])('cannot be held by another user if it %s', async (_what, mode) => {
    const file = path.join(folder, 'hub.lock');
    if (mode !== undefined) await writeFile(file, '', { mode });
    const first = await lockStore(folder, { onLost: () => undefined });
    await first.release();
    const other = await heldByNobody();
    try {
      expect(other.said).toContain('unable to open database file');
      const second = await lockStore(folder, { onLost: () => undefined });
      await second.release();
      expect((await stat(file)).mode & 0o777).toBe(0o600);
    } finally {
      await other.end();
    }
  });
});

describe('an address in messages', () => {
  it.each([
    ['postgres://me:secret@db/hub', 'postgres://me:***@db/hub'],
    ['postgres://me@db/hub?password=secret&sslmode=require', 'postgres://me@db/hub?password=***&sslmode=require'],
    ['postgres://me@db/hub', 'postgres://me@db/hub'],
    ['/var/lib/armature', '/var/lib/armature'],
  ])('%s', (address, shown) => {
    expect(placeOf(address)).toBe(shown);
  });
});
