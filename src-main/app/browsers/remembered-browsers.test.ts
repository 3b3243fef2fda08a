import { chmod, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ManualClock } from '../../base/clock.ts';
import { GOOD_FOR_MS, isBrowserKey, RememberedBrowsers } from './remembered-browsers.ts';

const HOUR_MS = 60 * 60 * 1_000;

describe('remembered browsers', () => {
  let folder: string;
  let clock: ManualClock;
  let browsers: RememberedBrowsers;

  beforeEach(async () => {
    folder = path.join(await mkdtemp(path.join(os.tmpdir(), 'armature-browsers-')), 'browsers');
    clock = new ManualClock();
    browsers = new RememberedBrowsers(folder, clock);
  });
  afterEach(() => rm(path.dirname(folder), { recursive: true }));

  it('a key proves its browser after a restart too; its file has only a hash, for its owner', async () => {
    const { browser, key } = await browsers.remember('Firefox on Linux');
    expect(isBrowserKey(key)).toBe(true);
    expect(await new RememberedBrowsers(folder, clock).prove(key)).toEqual(browser);
    const [file = ''] = await readdir(folder);
    expect(await readFile(path.join(folder, file), 'utf8')).not.toContain(key.split('.')[2]);
    expect((await stat(path.join(folder, file))).mode & 0o077).toBe(0);
  });

  it.each([
    ['another secret', (key: string) => key.slice(0, -1) + (key.endsWith('A') ? 'B' : 'A')],
    ['another id', (key: string) => key.replace(/\..{12}\./, '.AAAAAAAAAAAA.')],
    ['a path instead of an id', (key: string) => key.replace(/\..{12}\./, '.../../../xyz.')],
    ['more behind it', (key: string) => `${key}x`],
    ['nothing', () => ''],
  ])('%s proves nothing', async (_what, changed) => {
    const { key } = await browsers.remember('Firefox');
    expect(await browsers.prove(changed(key))).toBeUndefined();
    expect(await browsers.prove(key)).toBeDefined();
  });

  it('is good for 30 days after its last use, and a use counts to the hour', async () => {
    const { key } = await browsers.remember('Firefox');
    clock.advance(GOOD_FOR_MS - HOUR_MS);
    expect(await browsers.prove(key)).toBeDefined();
    clock.advance(GOOD_FOR_MS);
    expect(await browsers.prove(key)).toBeDefined();
    clock.advance(GOOD_FOR_MS + 1);
    expect(await browsers.prove(key)).toBeUndefined();
    expect(await browsers.list()).toEqual([]);
  });

  it('a clock that was set back far makes it expire, instead of good for longer', async () => {
    clock.set(Date.UTC(2030, 0, 1));
    const { key } = await browsers.remember('Firefox');
    clock.set(Date.UTC(2026, 0, 1));
    expect(await browsers.prove(key)).toBeUndefined();
  });

  it('is listed by its last use, and forgotten at once', async () => {
    const first = await browsers.remember('Firefox');
    clock.advance(1);
    const second = await browsers.remember('Chrome');
    const forgotten: string[] = [];
    browsers.onForgotten((id) => forgotten.push(id));
    expect((await browsers.list()).map(({ name }) => name)).toEqual(['Chrome', 'Firefox']);
    expect(await browsers.forget(second.browser.id)).toBe(true);
    expect(forgotten).toEqual([second.browser.id]);
    expect([browsers.wasForgotten(second.browser.id), browsers.wasForgotten(first.browser.id)]).toEqual([true, false]);
    expect(await browsers.prove(second.key)).toBeUndefined();
    expect(await browsers.forget(second.browser.id)).toBe(false);
    expect(await browsers.forget('../machine')).toBe(false);
  });

  it('the twenty used last are remembered', async () => {
    const made = [];
    for (let index = 0; index < 21; index++) {
      made.push(await browsers.remember(`browser ${index}`));
      clock.advance(1);
    }
    expect(await browsers.list()).toHaveLength(20);
    expect(await browsers.prove(made[0]?.key ?? '')).toBeUndefined();
    expect(await browsers.prove(made[1]?.key ?? '')).toBeDefined();
  });

  it('a damaged file counts as none, and the others stay', async () => {
    const { browser, key } = await browsers.remember('Firefox');
    const other = await browsers.remember('Chrome');
    await writeFile(path.join(folder, `${browser.id}.json`), '{"id":');
    expect(await browsers.prove(key)).toBeUndefined();
    expect(await browsers.list()).toEqual([other.browser]);
  });

  it.skipIf(process.geteuid?.() === 0)('a folder that cannot be written is named', async () => {
    await chmod(path.dirname(folder), 0o500);
    await expect(browsers.remember('Firefox')).rejects.toThrow(folder);
    await chmod(path.dirname(folder), 0o700);
  });
});
