import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ManualClock } from '../../base/clock.ts';
import { silentLogger } from '../../base/logger.ts';
import { DataFolders, KEPT_HOURS } from './data-folder.ts';

describe('data of modules', () => {
  let home = '';
  let clock: ManualClock;

  const machine = (name: string, owner = ''): DataFolders =>
    new DataFolders({ clock, logger: silentLogger, home, owner: () => owner, machine: name });

  /** A machine that has `module` configured, with data in it. */
  const withData = async (name: string, module: string): Promise<DataFolders> => {
    const folders = machine(name);
    folders.configure([module]);
    writeFileSync(path.join(await folders.make(module), 'calibration'), '7');
    return folders;
  };

  /** Lets a machine run for the given number of hours. */
  const run = async (folders: DataFolders, hours: number): Promise<void> => {
    for (let hour = 0; hour < hours; hour++) {
      clock.advance(3_600_000);
      await folders.close();
    }
  };

  /** `close` stops counting hours: the machine keeps running. */
  const again = (name: string, modules: readonly string[]): DataFolders => {
    const folders = machine(name);
    folders.configure(modules);
    return folders;
  };

  const data = (): boolean => existsSync(path.join(home, 'module-data', 'local', 'acme', 'calibration'));

  beforeEach(() => {
    home = mkdtempSync(path.join(tmpdir(), 'module-data-'));
    clock = new ManualClock();
  });

  afterEach(() => rmSync(home, { recursive: true, force: true }));

  const runAnew = async (name: string, modules: readonly string[], hours: number): Promise<void> => {
    for (let hour = 0; hour < hours; hour++) await run(again(name, modules), 1);
  };

  it('are kept for as long as the module is configured, whether it starts or not', async () => {
    await (await withData('a', 'acme')).close();
    await runAnew('a', ['acme'], KEPT_HOURS + 10);
    expect(data()).toBe(true);
  });

  it('are removed when servers have run for seven days without it', async () => {
    await (await withData('a', 'acme')).close();
    await runAnew('a', [], KEPT_HOURS - 1);
    expect(data()).toBe(true);
    await runAnew('a', [], 1);
    expect(data()).toBe(false);
  });

  it('are kept from the start again where it was configured in between', async () => {
    await (await withData('a', 'acme')).close();
    await runAnew('a', [], KEPT_HOURS - 1);
    await runAnew('a', ['acme'], 1);
    await runAnew('a', [], KEPT_HOURS - 1);
    expect(data()).toBe(true);
  });

  it('of another machine in the same home are left alone, also while that is off', async () => {
    await (await withData('a', 'acme')).close();
    await (await withData('b', 'acme')).close();
    await runAnew('a', [], KEPT_HOURS + 10);
    expect(data()).toBe(true);
  });

  it('that nobody has signed for are left alone', async () => {
    await (await withData('a', 'acme')).close();
    rmSync(path.join(home, 'module-data', 'local', '.users'), { recursive: true });
    await runAnew('a', [], KEPT_HOURS + 10);
    expect(data()).toBe(true);
  });

  it('of a part have a folder of their own', () => {
    expect(machine('a', 'p-1').folderOf('acme')).toBe(path.join(home, 'module-data', 'p-1', 'acme'));
  });
});
