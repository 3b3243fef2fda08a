import { expect, test } from '../../fixtures/data-test.ts';
import { CapturedData, roomReadings } from '../../harness/captured-data.ts';
import { pieceOnBelt } from '../../harness/picture.ts';
import { checkLook, keepPicture } from '../../page-objects/look.ts';

test('the screen is accessible in both themes: readings, pictures, dialogs, and with nothing to show', async ({
  page,
  fleet,
  captured,
  data,
}) => {
  test.setTimeout(600_000);
  await data.open();
  await expect(page.getByText('Nothing has been captured yet.')).toBeVisible();
  await checkLook(page, 'data-empty');

  const now = Date.now();
  await captured.readings(roomReadings(now, 6_000, 30_000));
  await captured.readings(roomReadings(now - 3_600_000, 500, 60_000), {
    componentName: 'left',
    methodName: 'Position',
  });
  for (let index = 0; index < 30; index++) {
    const tags = index % 4 === 0 ? ['scratched', 'batch 7'] : index % 3 === 0 ? ['batch 7'] : [];
    await captured.picture(now - (30 - index) * 90_000, pieceOnBelt(index), { tags });
  }
  const press = await fleet.addMachine('press-12', await fleet.addLocation('Hall 3'));
  const other = await CapturedData.open(fleet, press.partId);
  await other.readings(roomReadings(now - 86_400_000, 300, 60_000), { componentName: 'pump' });
  other.close();

  await page.reload();
  await data.source(/climate/).click();
  await data.field('humidity').click();
  await data.wholePlot('celsius');
  await data.wholePlot('humidity');
  await expect(data.rows).toHaveCount(50);
  await checkLook(page, 'data-readings');
  await data.rows.first().getByRole('button').click();
  await data.table.getByText('"payload"').scrollIntoViewIfNeeded();
  await checkLook(page, 'data-reading');

  await data.export('CSV table');
  await checkLook(page, 'data-export');
  await page.keyboard.press('Escape');
  await data.deleteOld();
  await expect(data.dialog.getByText(/old\.$/)).toBeVisible();
  await checkLook(page, 'data-delete');
  await page.keyboard.press('Escape');
  await data.sources.getByRole('button', { name: 'Retention' }).click();
  await expect(data.dialog.getByRole('textbox').first()).toBeVisible();
  await checkLook(page, 'data-retention');
  await page.keyboard.press('Escape');

  await data.source(/belt/).click();
  await expect(data.tiles).toHaveCount(24);
  await expect(data.pictures.getByRole('presentation').or(data.pictures.locator('img')).first()).toBeVisible();
  await data.tiles.nth(1).locator('.corner').click();
  await data.tiles.nth(3).click({ modifiers: ['Shift'] });
  await checkLook(page, 'data-pictures');
  await data.selection.getByRole('button', { name: 'Add to a dataset' }).click();
  await expect(data.dialog).toBeVisible();
  await checkLook(page, 'data-add-to-dataset');
  await page.keyboard.press('Escape');
  await data.selection.getByRole('button', { name: 'Delete' }).click();
  await expect(data.dialog.getByText('This cannot be undone.')).toBeVisible();
  await checkLook(page, 'data-delete-pictures');
  await page.keyboard.press('Escape');
  await data.tiles.first().click();
  await expect(data.dialog.getByRole('img')).toBeVisible();
  await checkLook(page, 'data-picture');
  await page.keyboard.press('Escape');

  await data.openQuery();
  await data.query.run(
    'SELECT time_received, component_name, data.readings.celsius AS celsius, data\nFROM readings\nWHERE data.readings.celsius > 20\nORDER BY time_received DESC',
  );
  await expect(data.query.result).toBeVisible();
  await data.query.pane.getByText('Columns of the table readings').click();
  await checkLook(page, 'data-query');
  await data.query.run('SELECT component_nam\nFROM readings');
  await expect(data.query.pane.getByText(/^Line 1, column 8/)).toBeVisible();
  await checkLook(page, 'data-query-mistake');
  await data.source(/climate/).click();
  await data.wholePlot('celsius');
  await page.emulateMedia({ forcedColors: 'active', reducedMotion: 'reduce' });
  await keepPicture(page, 'data-readings-forced');
  await data.source(/belt/).click();
  await data.tiles.nth(1).locator('.corner').click();
  await keepPicture(page, 'data-pictures-forced');
});
