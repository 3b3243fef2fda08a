import { mkdtemp, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { windowBench } from '../../fixtures/window-bench.ts';
import { expect, test } from '../../fixtures/data-test.ts';
import { roomReadings } from '../../harness/captured-data.ts';
import { startServer } from '../../harness/server-process.ts';
import { DataPage } from '../../page-objects/data.ts';
import { Shell } from '../../page-objects/shell.ts';

test('before anything was captured the screen says how to, and shows it once it comes', async ({
  page,
  captured,
  data,
}) => {
  await data.open();
  await expect(page.getByText('Nothing has been captured yet.')).toBeVisible();
  await page.getByRole('link', { name: 'Open Configure' }).click();
  await expect(page).toHaveURL(/#\/configure/);
  await page.keyboard.press('ControlOrMeta+6');
  await captured.readings(roomReadings(Date.now(), 5, 1_000));
  await data.source(/climate/).click();
  await expect(data.rows).toHaveCount(5);
});

test('how long data is kept is said and changed, and a shorter time is asked for twice', async ({
  page,
  captured,
  data,
}) => {
  await captured.readings(roomReadings(Date.now(), 5, 1_000));
  await data.openSource(/climate/);
  await data.sources.getByRole('button', { name: 'Retention' }).click();
  const readings = data.dialog.getByRole('textbox', { name: 'Days to keep readings' });
  await expect(readings).toHaveValue('');
  await readings.fill('a month');
  await expect(data.dialog.getByText('Type a whole number of days')).toBeVisible();
  await expect(data.dialog.getByRole('button', { name: 'Save' })).toBeDisabled();
  await readings.fill('30');
  await data.dialog.getByRole('button', { name: 'Save' }).click();
  await expect(data.dialog.getByRole('alert')).toContainText('This cannot be undone.');
  await data.dialog.getByRole('button', { name: 'Delete older data' }).click();
  await expect(data.dialog.getByText('Saved.')).toBeVisible();
  await page.keyboard.press('Escape');
  await data.sources.getByRole('button', { name: 'Retention' }).click();
  await expect(readings).toHaveValue('30');
  // Longer deletes nothing.
  await readings.fill('');
  await data.dialog.getByRole('button', { name: 'Save' }).click();
  await expect(data.dialog.getByText('Saved.')).toBeVisible();
});

test('without a hub the screen says why there is nothing, and what to do', async ({ browser }) => {
  const home = await mkdtemp(path.join(os.tmpdir(), 'armature-data-'));
  const machine = await startServer({ config: windowBench, home, args: ['-hub=false'] });
  const page = await browser.newPage();
  try {
    await page.goto(machine.pageUrl);
    await new Shell(page).open('Data');
    await expect(
      page.getByText('This machine runs without a hub, so there is no captured data to show.'),
    ).toBeVisible();
    await expect(new DataPage(page).pane).toHaveCount(0);
  } finally {
    await page.close();
    await machine.stop();
    await rm(home, { recursive: true, force: true });
  }
});
