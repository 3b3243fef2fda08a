import { expect, test } from '../../fixtures/machine-test.ts';
import { windowBench } from '../../fixtures/window-bench.ts';
import { ConfigurePage } from '../../page-objects/configure.ts';

test.use({ config: windowBench });

test('one that is disabled stays in the list, does not run once applied, and what needs it waits', async ({ page }) => {
  const configure = new ConfigurePage(page);
  await configure.open('bench');
  await configure.choose('Disable');
  await expect(configure.resource('bench')).toContainText('disabled');
  await expect(configure.middle).toContainText('disabled when applied');
  await configure.review();
  await configure.applyPlan();
  await expect(configure.resource('right')).toContainText('waiting for bench');
  await configure.open('right');
  // What it waits for, and how that is, with the way there.
  await expect(configure.condition).toContainText('Waiting for bench (disabled)');
  await configure.condition.getByRole('link', { name: 'bench' }).click();
  await expect(configure.heading('bench')).toBeVisible();
  await configure.choose('Enable');
  await configure.review();
  await configure.applyPlan();
  await expect(configure.resource('right')).toContainText('ready');
});
