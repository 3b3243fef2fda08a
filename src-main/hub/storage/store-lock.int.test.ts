import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { placeOf } from './open-store.ts';
import { lockStore } from './store-lock.ts';
import { testStores, type TestPlace } from './testing/test-stores.ts';

const lockModule = new URL('./store-lock.ts', import.meta.url).href;

describe.each(testStores)('the lock of a store on $name', (kind) => {
  let place: TestPlace;

  beforeEach(async () => (place = await kind.makePlace()));
  afterEach(() => place.remove());

  const lock = () => lockStore(place.address, () => undefined);

  it('is for one at a time, and names the place without a password', async () => {
    const first = await lock();
    await expect(lock()).rejects.toMatchObject({
      code: 'store.in_use',
      message: expect.stringContaining(placeOf(place.address)) as string,
    });
    await first.release();
    const second = await lock();
    await second.release();
  });

  it('ends with a program that is killed', async () => {
    const code = `
      const { lockStore } = await import(${JSON.stringify(lockModule)});
      const lock = await lockStore(${JSON.stringify(place.address)}, () => undefined);
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
