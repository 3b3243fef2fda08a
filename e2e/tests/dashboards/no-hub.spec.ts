import { expect, test } from '../../fixtures/machine-test.ts';
import { windowBench } from '../../fixtures/window-bench.ts';
import { Dashboards } from '../../page-objects/dashboards.ts';

test.use({ config: windowBench, serverArgs: ['-hub=false'] });

test('without a hub the machine keeps dashboards', async ({ page }) => {
  const dashboards = new Dashboards(page);
  await dashboards.open();
  await dashboards.add('Bench');
  await dashboards.addNote('Kept here');
  await dashboards.addCards('right');
  await dashboards.saveEdits();
  await page.reload();
  await expect(dashboards.picker).toHaveValue('Bench');
  await expect(dashboards.tiles).toHaveCount(2);
  await expect(dashboards.tiles.first()).toContainText('Kept here');
});
