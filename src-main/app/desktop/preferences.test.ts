import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { defaultPreferences, readPreferences, writePreferences } from './preferences.ts';

describe('preferences of the desktop window', () => {
  let folder = '';
  beforeEach(async () => {
    folder = await mkdtemp(path.join(os.tmpdir(), 'armature-preferences-'));
  });
  afterEach(() => rm(folder, { recursive: true, force: true }));

  it('reads back what was written', async () => {
    const file = path.join(folder, 'home', 'window.json');
    const written = { keepRunningInTray: true, bounds: { x: 4, y: 5, width: 800, height: 600 } };
    await writePreferences(file, written);
    expect(readPreferences(file)).toEqual(written);
  });

  it('does not keep running in the tray unless the file says so in so many words', async () => {
    const file = path.join(folder, 'window.json');
    await writeFile(file, '{"keepRunningInTray": "yes", "bounds": {"width": 1}}');
    expect(readPreferences(file)).toEqual(defaultPreferences);
  });

  it('falls back to the defaults for a spoilt file and leaves it as it is', async () => {
    const file = path.join(folder, 'window.json');
    await writeFile(file, '{"bounds":');
    expect(readPreferences(file)).toEqual(defaultPreferences);
    expect(await readFile(file, 'utf8')).toBe('{"bounds":');
  });
});
