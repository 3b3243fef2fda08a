import { chmod, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { dashboardOf } from '../../../proto/config/dashboards/dashboard.fixture.ts';
import type { Dashboard } from '../../../proto/gen/core/dashboard/v1/dashboard.ts';
import { withRevision } from '../../base/dashboards/dashboard-changes.ts';
import { silentLogger } from '../../base/logger.ts';
import { KeptDashboards } from './kept-dashboards.ts';

let folder: string;
let file: string;
let warnings: string[];

beforeEach(async () => {
  folder = await mkdtemp(path.join(os.tmpdir(), 'armature-dashboards-'));
  file = path.join(folder, 'state', 'dashboards-1.json');
  warnings = [];
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const open = (): KeptDashboards =>
  new KeptDashboards(file, { ...silentLogger, warn: (message) => void warnings.push(message) });
const bench = withRevision(dashboardOf('a', 'Bench'));
const other = withRevision(dashboardOf('b', 'Angles'));
const add =
  (...more: Dashboard[]) =>
  (before: readonly Dashboard[]): readonly Dashboard[] => [...before, ...more];

describe('dashboards in a file', () => {
  it('are none before the first, and no file is made for that', async () => {
    expect(await open().read()).toEqual([]);
    expect(await readdir(folder)).toEqual([]);
  });

  it('are there after a restart, in the order in which they are shown', async () => {
    await open().change(add(bench, other));
    expect(await open().read()).toEqual([other, bench]);
    expect(warnings).toEqual([]);
  });

  it('are changed one change at a time, and listeners are called after each', async () => {
    const kept = open();
    let calls = 0;
    kept.onChange(() => calls++);
    await Promise.all([kept.change(add(bench)), kept.change(add(other))]);
    expect(await kept.read()).toHaveLength(2);
    expect(calls).toBe(2);
  });

  it('stay as they are where a change throws or cannot be written', async () => {
    const kept = open();
    await kept.change(add(bench));
    await expect(
      kept.change(() => {
        throw new Error('refused');
      }),
    ).rejects.toThrow('refused');
    // A file is where the folder was.
    await rm(path.dirname(file), { recursive: true });
    await writeFile(path.dirname(file), '');
    await expect(kept.change(add(other))).rejects.toThrow(
      /Dashboards cannot be kept in .* Set SVC_HOME to a folder that can be written/,
    );
    expect(await kept.read()).toEqual([bench]);
  });

  it.each(['{"dashboards": [', '[]', 'null', '{"dashboards": {}}', ''])(
    'a damaged file (%j) is kept aside with a message, and the machine begins without dashboards',
    async (text) => {
      await open().change(add(bench));
      await writeFile(file, text);
      const kept = open();
      expect(await kept.read()).toEqual([]);
      expect(await readFile(file.replace('.json', '-damaged-1.json'), 'utf8')).toBe(text);
      expect(warnings).toHaveLength(1);
      expect(warnings[0]).toContain(
        `renamed to ${file.replace('.json', '-damaged-1.json')}, and 0 dashboards are used`,
      );
      await kept.change(add(other));
      expect(await open().read()).toEqual([other]);
      expect(warnings).toHaveLength(1);
    },
  );

  it('a file with one entry that cannot be used is kept aside, and the others are used', async () => {
    await open().change(add(bench, other));
    // The first one is "Angles".
    const text = (await readFile(file, 'utf8')).replace('"width": 4', '"width": 9');
    await writeFile(file, text);
    expect(await open().read()).toEqual([bench]);
    expect(warnings[0]).toMatch(/Entry 1 cannot be used: Tile 2 .* its width is 9, and 1 to 4 columns are allowed/);
    expect(await readFile(file.replace('.json', '-damaged-1.json'), 'utf8')).toBe(text);
  });

  it('that may not be read say so, and are read again when they may', async () => {
    if (process.getuid?.() === 0) return;
    await open().change(add(bench));
    await chmod(file, 0o000);
    const kept = open();
    await expect(kept.read()).rejects.toThrow(/cannot be read .* Give the user of this server the right/);
    await chmod(file, 0o600);
    expect(await kept.read()).toEqual([bench]);
  });
});
