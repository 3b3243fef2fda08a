import { expect, test } from '../../fixtures/dataset-test.ts';

test('a dataset is made, filled from the captured data by selection and by filter, says what it lacks, is frozen and deleted', async ({
  page,
  captured,
  ids,
  data,
  datasets,
}) => {
  await data.openSource(/belt/);
  await data.tiles.nth(0).locator('.corner').click();
  await data.selection.getByRole('button', { name: 'Add to a dataset' }).click();
  await data.dialog.getByRole('combobox', { name: 'Dataset' }).fill('Screws');
  await page.keyboard.press('Enter');
  await data.dialog.getByRole('button', { name: 'Add', exact: true }).click();
  await expect(data.dialog.getByText('The pictures are in the dataset.')).toBeVisible();
  await data.dialog.getByRole('button', { name: 'Close' }).click();
  await data.pane.getByRole('button', { name: 'Add all to a dataset' }).click();
  await data.dialog.getByRole('combobox', { name: 'Dataset' }).fill('Screws');
  await page.keyboard.press('Enter');
  await data.dialog.getByRole('button', { name: 'Add', exact: true }).click();
  await expect(data.dialog.getByText('2 new pictures added to the dataset.')).toBeVisible();
  await data.dialog.getByRole('link', { name: 'Open the dataset' }).click();

  await expect(datasets.tiles).toHaveCount(3);
  await datasets.chooseTask('Boxes');
  await expect(datasets.checks.getByRole('listitem')).toHaveText([
    /3 pictures, at least 15\.\s+12 missing/,
    /0 labelled pictures, at least 3: 80 % of all\.\s+3 missing/,
    /0 labels, at least 1\.\s+1 missing/,
  ]);
  await datasets.pane().getByRole('button', { name: 'Create snapshot' }).click();
  await expect(datasets.snapshots).toHaveText([/Snapshot 1.*3 pictures · 3 unlabelled/]);

  const labels = await datasets.label();
  await labels.addClass('screw');
  await page.keyboard.press('n');
  await expect(labels.saving).toHaveText('Saved');
  await labels.screen.getByRole('link', { name: 'Back to Screws' }).click();
  await datasets.chooseTask('Boxes');
  await expect(datasets.checks).toContainText('screw: 1 box, at least 10.');
  await datasets.filters.getByRole('button', { name: 'Unlabelled' }).click();
  await expect(datasets.tiles).toHaveCount(2);
  await expect(datasets.snapshots).toHaveText([/3 unlabelled/]);

  await datasets.tiles.first().locator('.corner').click();
  await datasets.pane().getByRole('button', { name: 'Remove' }).click();
  await datasets.dialog.getByRole('button', { name: 'Remove' }).click();
  await expect(datasets.tiles).toHaveCount(1);
  expect(await captured.tagsOf(ids[1] ?? '')).toEqual([]);

  await datasets.pane().getByRole('button', { name: 'Rename' }).click();
  await datasets.dialog.getByRole('textbox', { name: 'Name' }).fill('Bolts');
  await page.keyboard.press('Enter');
  await expect(datasets.pane('Bolts')).toBeVisible();
  await datasets.make('Nuts');
  await datasets.pane().getByRole('button', { name: 'Delete', exact: true }).click();
  await datasets.dialog.getByRole('button', { name: 'Delete the dataset' }).click();
  await expect(datasets.list.getByRole('listitem')).toHaveText(['Bolts']);
});
