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
  await expect(page.getByText('No connection to the machine. The history may be out of date.')).toBeVisible();
  await expect(history.rows).toHaveCount(2);
  await expect(history.restoreCard).toContainText('You can restore when it is back.');
  await expect(history.restoreButton).toHaveAttribute('aria-disabled', 'true');
  await expect(history.difference('climate')).toBeVisible();
});

test('before the first configuration the history says how it begins', async ({ page, history }) => {
  await history.open();
  await expect(page.getByText('No versions yet. Applying a configuration creates the first one.')).toBeVisible();
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

  alone('the screen says why there is no history, and what to do', async ({ page }) => {
    await new Shell(page).open('History');
    await expect(page.getByText('This machine has no history, because it runs without a hub.')).toBeVisible();
    await expect(page.getByText('From then on, every applied configuration is kept here.')).toBeVisible();
    await checkLook(page, 'history-absent');
  });
});
