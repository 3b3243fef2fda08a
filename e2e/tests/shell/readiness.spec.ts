import { expect, test } from '../../fixtures/machine-test.ts';
import { windowBench } from '../../fixtures/window-bench.ts';
import { checkLook } from '../../page-objects/look.ts';
import { Shell } from '../../page-objects/shell.ts';

test.use({ config: windowBench.replace('"fail_new": false', '"fail_new": true') });

test('the count of what is ready lists what is not, why, and leads there', async ({ page }) => {
  const shell = new Shell(page);
  const count = shell.machine.getByRole('button', { name: '1 of 5 ready' });
  await count.click();
  await expect(shell.notReady).toHaveCount(4);
  await expect(shell.notReady.first()).toContainText('bench');
  await expect(shell.notReady.first()).toContainText('fail_new');
  await page.keyboard.press('Escape');
  await expect(shell.notReady).toHaveCount(0);
  await expect(count).toBeFocused();
  await expect(shell.stopOutcome).toHaveText('');
  await page.keyboard.press('Enter');
  await page.getByRole('link', { name: 'Logs of bench' }).click();
  await expect(page).toHaveURL(/#\/logs\?resource=core:component:board\/bench/);
  await expect(shell.notReady).toHaveCount(0);
});

test('the list goes away by itself when all are ready', async ({ page, machine }) => {
  const shell = new Shell(page);
  await shell.machine.getByRole('button', { name: '1 of 5 ready' }).click();
  await expect(shell.notReady).toHaveCount(4);
  await machine.writeConfig(windowBench);
  await expect(shell.machine).toContainText('5 of 5 ready');
  await expect(shell.notReady).toHaveCount(0);
});

test('it is accessible in both themes', async ({ page }) => {
  const shell = new Shell(page);
  await expect(shell.machine.getByRole('button', { name: '1 of 5 ready' })).toBeVisible();
  await checkLook(page, 'shell-failed');
});
