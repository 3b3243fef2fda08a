import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { silentLogger } from '../../base/logger.ts';
import type { PersistentRecord } from '../../base/files/json-record.ts';
import { loadModuleKey, moduleKeyRecord, type ModuleKey } from './module-key.ts';

/** A record, and a promise that settles when it is saved. */
function watched(file: string): { record: PersistentRecord<ModuleKey>; saved: Promise<void> } {
  const inner = moduleKeyRecord(file);
  let done: () => void = () => undefined;
  const saved = new Promise<void>((resolve) => (done = resolve));
  return { record: { load: () => inner.load(), save: (key) => inner.save(key).finally(done) }, saved };
}

describe('the key of modules', () => {
  it('is minted once, for its owner alone, and anew where it was damaged', async () => {
    const folder = mkdtempSync(path.join(tmpdir(), 'module-key-'));
    const file = path.join(folder, 'state', 'key.json');
    const first = watched(file);
    const minted = await loadModuleKey(first.record, silentLogger);
    await first.saved;
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(await loadModuleKey(moduleKeyRecord(file), silentLogger)).toEqual(minted);
    writeFileSync(file, '{"id":"","key":"short"}');
    const second = watched(file);
    const other = await loadModuleKey(second.record, silentLogger);
    await second.saved;
    expect(other.key).not.toBe(minted.key);
    rmSync(folder, { recursive: true });
  });

  it('that cannot be kept is good for this run, and that is said', async () => {
    const said = new Promise<string>((resolve) => {
      const logger = { ...silentLogger, warn: resolve };
      void loadModuleKey(moduleKeyRecord('/dev/null/key.json'), logger).then(({ key }) =>
        expect(key).toMatch(/^[\w-]{43}$/),
      );
    });
    expect(await said).toMatch(/^The key of the modules of this machine cannot be kept in \/dev\/null\/key.json/);
  });
});
