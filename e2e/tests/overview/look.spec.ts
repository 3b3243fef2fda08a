import { writeFile } from 'node:fs/promises';
import { expect, test } from '../../fixtures/machine-test.ts';
import { windowBench } from '../../fixtures/window-bench.ts';
import { checkLook } from '../../page-objects/look.ts';
import { OverviewPage } from '../../page-objects/overview.ts';

test.use({ config: windowBench });

test('pinned values, a failed node, and the groups of a narrow page are accessible in both themes', async ({
  page,
  machine,
}) => {
  test.setTimeout(240_000);
  const overview = new OverviewPage(page);
  await overview.open();
  await overview.pinOf('speed of left').click();
  await overview.pinOf('position of wheel').click();
  await expect(overview.pin('speed of left')).toContainText('rpm');
  await checkLook(page, 'overview-live');
  await writeFile(machine.configPath, windowBench.replace('"fail_new": false', '"fail_new": true'));
  await expect(overview.node('bench')).toHaveAccessibleName(/^bench, failed, ./);
  await checkLook(page, 'overview-failed');
  await page.setViewportSize({ width: 390, height: 844 });
  await expect(overview.picture).toBeHidden();
  await expect(overview.resources.getByRole('link', { name: /^climate ready/ })).toContainText('21.5');
  await checkLook(page, 'overview-phone');
});
