import { expect, test } from '../../fixtures/dataset-test.ts';
import { checkLook } from '../../page-objects/look.ts';

test('datasets and labelling are accessible in both themes, and fit a phone', async ({ page, datasets, labels }) => {
  test.setTimeout(480_000);
  for (const name of ['screw', 'nut', 'washer']) await labels.addClass(name);
  await labels.class('screw').click();
  await labels.drag([0.15, 0.25], [0.55, 0.7]);
  await page.keyboard.press('Escape');
  await labels.class('nut').click();
  await labels.drag([0.25, 0.4], [0.4, 0.55]);
  await expect(labels.saving).toHaveText('Saved');
  await labels.screen.getByText('Keys', { exact: true }).click();
  await checkLook(page, 'label');
  await labels.screen.getByRole('link', { name: 'Back to Screws' }).click();
  await expect(datasets.tiles).toHaveCount(3);
  await datasets.chooseTask('Boxes');
  await datasets.pane().getByRole('button', { name: 'Create snapshot' }).click();
  await expect(datasets.snapshots).toHaveCount(1);
  await checkLook(page, 'dataset');
  await page.getByRole('button', { name: 'New dataset' }).click();
  await checkLook(page, 'dataset-new');
  await page.keyboard.press('Escape');
  await datasets.pane().getByRole('button', { name: 'Import' }).click();
  await checkLook(page, 'dataset-import');
  await page.keyboard.press('Escape');
  await datasets.pane().getByRole('button', { name: 'Delete', exact: true }).click();
  await checkLook(page, 'dataset-delete');
});
