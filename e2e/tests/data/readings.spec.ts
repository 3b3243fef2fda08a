import { expect, test } from '../../fixtures/data-test.ts';
import { roomReadings } from '../../harness/captured-data.ts';
import { pieceOnBelt } from '../../harness/picture.ts';

/** A minute between readings: twenty hours of them. */
const stepMs = 60_000;

test('readings are drawn and listed, looked at more closely by dragging and by keys, and the address leads back', async ({
  page,
  captured,
  data,
}) => {
  const end = Math.floor(Date.now() / stepMs) * stepMs;
  await captured.readings(roomReadings(end, 1_200, stepMs));
  await data.openSource(/climate Readings/);
  await expect(data.source(/climate/)).toContainText('1,200 readings');
  await expect(data.pane.getByText('1,200 readings').first()).toBeVisible();

  // The first number is drawn by itself; others are chosen, true and false too, texts not.
  expect(await data.wholePlot('celsius')).toMatch(/^celsius from .* to .*: 1\d(\.\d+)? to 2\d(\.\d+)?$/);
  await data.field('door.open').click();
  expect(await data.wholePlot('door.open')).toContain(': 0 to 1');
  await expect(data.field('fan')).toHaveCount(0);
  await data.plot('celsius').getByRole('button', { name: 'Remove the plot of celsius' }).click();
  await expect(data.plot('celsius')).toHaveCount(0);
  await page.goBack();
  await data.wholePlot('celsius');

  await data.drag('celsius', 0.25, 0.5);
  await expect(page).toHaveURL(/from=.*&to=/);
  await expect(data.pane.getByRole('status').filter({ hasText: /^(29\d|30\d) readings$/ })).toBeVisible();
  const dragged = await data.wholePlot('celsius');
  await data.pane.getByRole('button', { name: 'Zoom in' }).press('Enter');
  await expect(data.pane.getByRole('status').filter({ hasText: /^1[45]\d readings$/ })).toBeVisible();
  await page.goBack();
  await expect.poll(() => data.wholePlot('celsius')).toBe(dragged);

  // Whoever is given the address sees the same.
  await page.reload();
  expect(await data.wholePlot('celsius')).toBe(dragged);
  for (const shown of [/^(59\d|60\d) readings$/, /^1,0[45]\d readings$/]) {
    await data.pane.getByRole('button', { name: 'Zoom out' }).click();
    await expect(data.pane.getByRole('status').filter({ hasText: shown })).toBeVisible();
  }
  await data.pane.getByRole('button', { name: 'Zoom out' }).click();
  await expect(page).not.toHaveURL(/from=/);
  await expect(data.pane.getByRole('button', { name: 'Zoom out' })).toBeDisabled();
});

test('the list has the newest first, in pages, with all of a reading in its details', async ({
  page,
  captured,
  data,
}) => {
  const end = Math.floor(Date.now() / stepMs) * stepMs;
  await captured.readings(roomReadings(end, 120, stepMs));
  await data.openSource(/climate/);
  await expect(data.rows).toHaveCount(50);
  const newest = data.table.getByRole('button').first();
  await expect(newest).toHaveAttribute('title', new Date(end - stepMs).toISOString());
  for (const name of ['celsius', 'humidity', 'door.open', 'fan']) {
    await expect(data.table.getByRole('columnheader', { name, exact: true })).toBeVisible();
  }
  await data.turn('Older');
  await data.turn('Older');
  await expect(data.rows).toHaveCount(20);
  await expect(data.pane.getByRole('button', { name: 'Older' })).toBeDisabled();
  await data.turn('Newer');
  await expect(data.table.getByRole('button').first()).toHaveAttribute(
    'title',
    new Date(end - 51 * stepMs).toISOString(),
  );
  await data.turn('Newest');
  await newest.click();
  await expect(data.table.getByText('"payload": {')).toBeVisible();

  // What comes meanwhile waits to be asked for.
  await captured.readings(roomReadings(end + 3 * stepMs, 3, stepMs));
  await data.pane.getByRole('button', { name: '3 new, show them' }).click();
  await expect(newest).toHaveAttribute('title', new Date(end + 2 * stepMs).toISOString());
  await expect(data.source(/climate/)).toContainText('123 readings');
  await expect(page.getByRole('button', { name: /new, show/ })).toHaveCount(0);
});

test('tags and times restrict what is listed, and a search what is offered', async ({ page, captured, data }) => {
  const end = Date.now();
  await captured.readings(roomReadings(end, 20, 1_000), { tags: ['trial'] });
  await captured.readings(roomReadings(end - 7_200_000, 30, 1_000));
  await captured.readings(roomReadings(end, 5, 1_000), { componentName: 'pump' });
  await captured.picture(end, pieceOnBelt(1));
  await data.openSource(/climate/);
  await expect(data.rows).toHaveCount(50);
  const tag = data.pane.getByRole('combobox', { name: 'Filter by tag' });
  await tag.fill('trial');
  await tag.press('Enter');
  await expect(data.rows).toHaveCount(20);
  await expect(page).toHaveURL(/tag=trial/);
  await expect(data.pane.getByText('The plot shows readings with any tags')).toBeVisible();
  await data.pane.getByRole('button', { name: 'Remove the filter for the tag trial' }).click();
  await expect(data.rows).toHaveCount(50);
  await data.pane.getByRole('button', { name: 'Last hour' }).first().click();
  await expect(data.rows).toHaveCount(20);
  await data.pane.getByRole('button', { name: 'Show all' }).click();
  await expect(data.rows).toHaveCount(50);

  await page.keyboard.press('ControlOrMeta+f');
  await page.keyboard.type('sensor pu');
  await expect(data.offered).toHaveCount(1);
  await page.keyboard.press('ArrowDown');
  await expect(data.source(/pump/)).toBeFocused();
  await page.keyboard.press('Enter');
  await expect(data.pane.getByRole('heading', { name: 'pump' })).toBeVisible();
  await expect(data.rows).toHaveCount(5);
});

test('old readings are deleted once it is clear how many, and those of others stay', async ({ captured, data }) => {
  const dayMs = 86_400_000;
  await captured.readings(roomReadings(Date.now() - 40 * dayMs, 12, 1_000));
  await captured.readings(roomReadings(Date.now(), 8, 1_000));
  await captured.readings(roomReadings(Date.now() - 40 * dayMs, 7, 1_000), { componentName: 'pump' });
  await data.openSource(/climate/);
  await data.deleteOld();
  const days = data.dialog.getByRole('textbox', { name: 'Older than, in days' });
  await expect(data.dialog.getByText('12 readings are that old.')).toBeVisible();
  await days.fill('');
  await expect(data.dialog.getByText('Type a whole number of days')).toBeVisible();
  await expect(data.dialog.getByRole('button', { name: /^Delete/ })).toBeDisabled();
  await days.fill('50');
  await expect(data.dialog.getByRole('button', { name: 'Nothing to delete' })).toBeDisabled();
  await days.fill('39');
  await expect(data.dialog.getByText('This cannot be undone.')).toBeVisible();
  await data.dialog.getByRole('button', { name: 'Delete 12 readings' }).click();
  await expect(data.dialog.getByText('12 readings deleted.')).toBeVisible();
  await data.dialog.getByRole('button', { name: 'Close' }).click();
  await expect(data.source(/climate/)).toContainText('8 readings');
  await expect(data.source(/pump/)).toContainText('7 readings');
  await expect(data.rows).toHaveCount(8);
});
