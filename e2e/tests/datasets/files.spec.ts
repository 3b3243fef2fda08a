import { expect, test } from '../../fixtures/dataset-test.ts';

test('a dataset is saved as an archive, and comes into another one with its labels', async ({
  page,
  datasets,
  labels,
}) => {
  await labels.addClass('screw');
  await labels.drag([0.25, 0.25], [0.5, 0.5]);
  await expect(labels.saving).toHaveText('Saved');
  await labels.screen.getByRole('link', { name: 'Back to Screws' }).click();
  await page.evaluate('delete globalThis.showSaveFilePicker');
  await datasets.pane().getByRole('button', { name: 'Export' }).click();
  await page.getByRole('menuitem', { name: 'COCO' }).click();
  const [file] = await Promise.all([
    page.waitForEvent('download'),
    datasets.dialog.getByRole('button', { name: 'Save the archive' }).click(),
  ]);
  await expect(datasets.dialog.getByText(/^The archive is saved/)).toBeVisible();
  await datasets.dialog.getByRole('button', { name: 'Close' }).click();

  await datasets.make('Copy');
  await datasets.pane().getByRole('button', { name: 'Import' }).click();
  await datasets.dialog.getByLabel('Archive').setInputFiles({
    name: 'notes.tar.gz',
    mimeType: 'application/gzip',
    buffer: Buffer.from('no archive'),
  });
  await datasets.dialog.getByRole('button', { name: 'Import' }).click();
  await expect(datasets.dialog.getByText(/no whole \.tar\.gz archive/)).toBeVisible();
  await datasets.dialog.getByLabel('Archive').setInputFiles(await file.path());
  await datasets.dialog.getByRole('button', { name: 'Import' }).click();
  await expect(datasets.dialog.getByText('3 added, 0 were there already.')).toBeVisible();
  await datasets.dialog.getByRole('button', { name: 'Close' }).click();
  await expect(datasets.tiles).toHaveCount(3);
  await datasets.chooseTask('Boxes');
  await expect(datasets.checks).toContainText('screw: 1 box, at least 10.');
});
