import { expect, test } from '../../fixtures/machine-test.ts';
import { windowBench } from '../../fixtures/window-bench.ts';
import { checkLook } from '../../page-objects/look.ts';
import { LogsPage } from '../../page-objects/logs.ts';
import { Shell } from '../../page-objects/shell.ts';

test.use({ config: windowBench });

test.beforeEach(async ({ page }) => {
  await new Shell(page).open('Logs');
});

const broken = '{ "components": [ ';

test('lines of before and new lines are shown', { tag: '@smoke' }, async ({ page, machine }) => {
  const logs = new LogsPage(page);
  await expect(logs.list).toContainText('core');
  await machine.writeConfig(broken);
  await expect(logs.list).toContainText(/error|warn/);
});

test('complaint 20: pausing holds new lines back and counts them, resuming shows them', async ({ page, machine }) => {
  const logs = new LogsPage(page);
  await expect(logs.list).toContainText('core');
  await logs.pauseButton.click();
  const before = await logs.list.innerText();
  await machine.writeConfig(broken);
  await expect(page.getByText(/Paused\. [1-9]\d* lines? waits? behind/)).toBeVisible();
  expect(await logs.list.innerText()).toBe(before);
  await logs.pauseButton.click();
  await expect(logs.list).not.toHaveText(before);
});

test('the level hides what is below it', async ({ page }) => {
  const logs = new LogsPage(page);
  await expect(logs.list).toContainText('info');
  await logs.showLevel('error');
  await expect(logs.list).not.toContainText('info');
});

test('the screen is accessible in both themes', async ({ page }) => {
  await expect(new LogsPage(page).list).toContainText('core');
  await checkLook(page, 'logs');
});
