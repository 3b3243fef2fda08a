import { expect, test } from '../../fixtures/machine-test.ts';
import { windowBench } from '../../fixtures/window-bench.ts';
import { ControlPage } from '../../page-objects/control.ts';
import { Dashboards } from '../../page-objects/dashboards.ts';
import { checkLook } from '../../page-objects/look.ts';

test.use({ config: windowBench });

test('a dashboard, its editing and its dialogs are accessible in both themes', async ({ page }) => {
  test.slow();
  const dashboards = new Dashboards(page);
  await dashboards.open();
  await dashboards.add('Bench');
  await dashboards.addNote('Heat first, then run.\nNever above 90 rpm.');
  await dashboards.addPlot('position of wheel', 'speed of left', 'celsius of climate');
  await dashboards.addCards('left', 'climate');
  await dashboards.bar('left').scrollIntoViewIfNeeded();
  await checkLook(page, 'dashboard-edit');
  await page.getByRole('button', { name: 'Add plot' }).click();
  await expect(dashboards.dialog.getByRole('checkbox', { name: 'celsius of climate' })).toBeVisible();
  await checkLook(page, 'dashboard-readings');
  await dashboards.dialog.getByRole('button', { name: 'Cancel' }).click();
  await dashboards.saveEdits();
  await expect(new ControlPage(page).motor('left').state).toHaveText('still');
  await checkLook(page, 'dashboard');
});
