import { expect, test } from '../../fixtures/machine-test.ts';
import { windowBench } from '../../fixtures/window-bench.ts';
import { ControlPage } from '../../page-objects/control.ts';
import { Shell } from '../../page-objects/shell.ts';

test.use({ config: windowBench.replace('"fail_new": false', '"fail_new": true') });

test('a card that is not ready says its state, why, since when, and where to look', async ({ page }) => {
  await new Shell(page).open('Control');
  const control = new ControlPage(page);
  const bench = control.card('bench');
  await expect(bench).toContainText(/failed · \d/);
  await expect(bench.locator('.bad-text')).not.toBeEmpty();
  await expect(bench).toContainText(/since \d\d:\d\d:\d\d/);
  await expect(bench).toContainText(/\d attempts in a row/, { timeout: 30_000 });
  await expect(control.card('left')).toContainText('Waiting for');
  await expect(bench.getByRole('link', { name: 'Edit' })).toHaveAttribute('href', '#/configure/resource/bench');
  const logs = await bench.getByRole('link', { name: 'Logs' }).getAttribute('href');
  expect(decodeURIComponent(logs ?? '')).toBe('#/logs?resource=core:component:board/bench');
  await expect(bench.getByRole('button', { name: 'Read', exact: true })).toHaveCount(0);
});
