import { writeFile } from 'node:fs/promises';
import { expect, test } from '../../fixtures/machine-test.ts';
import { windowBench } from '../../fixtures/window-bench.ts';
import { OverviewPage } from '../../page-objects/overview.ts';

test.use({ config: windowBench });

test('what changed since yesterday is said in words, and leads to where more is known', async ({ page, machine }) => {
  const overview = new OverviewPage(page);
  await overview.open();
  await expect(overview.changes).toContainText('The program was started');
  await expect(overview.changes.getByRole('link', { name: /^Version 1: / })).toContainText('by the file');
  await writeFile(machine.configPath, windowBench.replace('"fail_new": false', '"fail_new": true'));
  await expect(overview.changes.getByRole('link', { name: /^bench failed/ })).toBeVisible();
  await expect(overview.changes.getByRole('link', { name: /^Version 2: / })).toContainText('bench');
  await writeFile(machine.configPath, windowBench);
  await expect(overview.changes.getByRole('link', { name: /^bench is ready again; it failed at \d/ })).toBeVisible();
  await overview.changes.getByRole('link', { name: /^Version 2: / }).click();
  await expect(page).toHaveURL(/#\/history\?version=2$/);
});

test.describe('without a hub', () => {
  test.use({ serverArgs: ['-hub=false'] });

  test('it says that versions are not kept, and shows the rest', async ({ page }) => {
    const overview = new OverviewPage(page);
    await overview.open();
    await expect(overview.changes).toContainText('Without a hub, versions of the configuration are not kept.');
    await expect(overview.changes).toContainText('The program was started');
    // Pins need no hub.
    await overview.pinOf('speed of left').click();
    await page.reload();
    await expect(overview.pin('speed of left')).toBeVisible();
  });
});
