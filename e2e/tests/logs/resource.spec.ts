import { expect, test } from '../../fixtures/machine-test.ts';
import { windowBench } from '../../fixtures/window-bench.ts';
import { LogsPage } from '../../page-objects/logs.ts';
import { Shell } from '../../page-objects/shell.ts';

test.use({ config: windowBench.replace('"fail_new": false', '"fail_new": true') });

test('a line about a resource leads to it, and to its other lines', async ({ page }) => {
  await new Shell(page).open('Logs');
  const logs = new LogsPage(page);
  const failure = logs
    .line(/error|warn/)
    .filter({ hasText: 'bench' })
    .first();
  await failure.click();
  await logs.list.focus();
  await page.keyboard.press('Enter');
  await page.getByRole('link', { name: 'Only this resource' }).first().click();
  await expect(page).toHaveURL(/logs\?resource=core:component:board\/bench$/);
  await expect(logs.resourceField).toHaveValue('bench');
  await expect(logs.line('serving on')).toHaveCount(0);
  await logs.line('bench').first().getByRole('link', { name: 'bench', exact: true }).click();
  await expect(page).toHaveURL(/configure\/resource\/bench/);
});
