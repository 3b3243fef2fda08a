import { expect, test } from '../../fixtures/history-test.ts';
import { test as alone } from '../../fixtures/machine-test.ts';
import { windowBench } from '../../fixtures/window-bench.ts';
import { checkLook } from '../../page-objects/look.ts';
import { Shell } from '../../page-objects/shell.ts';

test('without a link the history stays as it was read, and says that it is old', async ({ page, pair, history }) => {
  await pair.applyAll([windowBench, windowBench.replace('"celsius": 21.5', '"celsius": 30')]);
  await history.open();
  await history.choose(1);
  await expect(history.restoreButton).toHaveAttribute('aria-disabled', 'false');
  await pair.machine.crash();
  await expect(page.getByText('No link to the machine: this is the history as it was read last.')).toBeVisible();
  await expect(history.rows).toHaveCount(2);
  await expect(history.restoreCard).toContainText('it can be restored when the link is back');
  await expect(history.restoreButton).toHaveAttribute('aria-disabled', 'true');
  await expect(history.difference('climate')).toBeVisible();
});

test('before the first configuration the history says how it begins', async ({ page, history }) => {
  await history.open();
  await expect(page.getByText('No version yet. The first one is made when a configuration is applied.')).toBeVisible();
});

test('while the hub is away, the history that was read stays, and why no more comes is said', async ({
  page,
  pair,
  history,
}) => {
  await pair.applyAll([windowBench, windowBench.replace('"celsius": 21.5', '"celsius": 30')]);
  await history.open();
  await expect(history.rows).toHaveCount(2);
  await pair.hub.crash();
  await history.search.fill('climate');
  await expect(page.getByText(/^The history could not be read: /)).toBeVisible();
});

alone.describe('of a machine without a hub', () => {
  alone.use({ config: windowBench, serverArgs: ['-hub=false'] });

  alone('the screen says that nobody keeps a history, and what to do', async ({ page }) => {
    await new Shell(page).open('History');
    await expect(page.getByText('Nobody keeps the history of this machine')).toBeVisible();
    await expect(page.getByText('From then on every configuration that is applied is kept here.')).toBeVisible();
    await checkLook(page, 'history-absent');
  });
});
