import { mkdtemp, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { expect, test } from '@playwright/test';
import { silentLogger } from '../../../src-main/base/logger.ts';
import { openStore } from '../../../src-main/hub/storage/open-store.ts';
import { windowBench } from '../../fixtures/window-bench.ts';
import { startServer } from '../../harness/server-process.ts';
import { FleetPage } from '../../page-objects/fleet.ts';

const machines = 5_000;
const chunk = 500;

/** Machines that never called, put into the store of a hub that is not running: one call each would take minutes. */
async function addMachines(folder: string): Promise<void> {
  const store = await openStore(folder, silentLogger);
  try {
    const { id: location_id } = await store.db.selectFrom('locations').select('id').executeTakeFirstOrThrow();
    const rows = Array.from({ length: machines }, (_, index) => `rig-${index + 1}`);
    for (let at = 0; at < machines; at += chunk) {
      const names = rows.slice(at, at + chunk);
      const made = { metadata: '{}', created_at: 1 };
      await store.transaction(async (tx) => {
        await tx
          .insertInto('machines')
          .values(names.map((name) => ({ id: `m-${name}`, location_id, name, dns_label: name, ...made })))
          .execute();
        const part = { name: 'main', dns_label: 'main', is_main: 1, updated_at: 1, version: 0, last_access_at: null };
        await tx
          .insertInto('parts')
          .values(names.map((name) => ({ id: `p-${name}`, machine_id: `m-${name}`, ...part, ...made })))
          .execute();
      });
    }
  } finally {
    await store.close();
  }
}

test('of 5,000 machines a few rows are in the page; the end is reached at once, and a word finds one', async ({
  page,
}) => {
  test.setTimeout(240_000);
  const home = await mkdtemp(path.join(os.tmpdir(), 'armature-many-'));
  let station = await startServer({ config: windowBench, home });
  const list = new FleetPage(page);
  try {
    await page.goto(station.pageUrl);
    await list.open();
    await expect(list.rows).toHaveCount(1);
    await station.stop();
    await addMachines(path.join(home, 'home/hub'));
    station = await startServer({ config: windowBench, home });
    await page.goto('about:blank');
    await page.goto(station.pageUrl);
    await list.open();
    await expect(list.summary).toContainText('5001 machines', { timeout: 30_000 });
    expect(await list.rows.count()).toBeLessThan(60);
    await list.table.focus();
    await page.keyboard.press('End');
    await expect(list.rows.last()).toHaveAttribute('aria-rowindex', String(machines + 2));
    expect(await list.rows.count()).toBeLessThan(60);
    await page.keyboard.press('Home');
    await expect(list.row('rig-1')).toBeVisible();
    await expect(list.row('rig-2')).toBeVisible();
    await list.search.fill('rig-4321');
    await expect(list.rows).toHaveCount(1);
    await expect(list.row('rig-4321')).toContainText('awaiting setup');
  } finally {
    await station.stop();
    await rm(home, { recursive: true, force: true });
  }
});
