import { readFile } from 'node:fs/promises';
import { expect, test } from '../../fixtures/data-test.ts';
import { pieceOnBelt } from '../../harness/picture.ts';

const start = Date.UTC(2026, 10, 21, 10);

test('pictures are looked at one after the other, by keys alone, over the pages; tagged, found by tag, saved', async ({
  page,
  captured,
  data,
}) => {
  const ids: string[] = [];
  for (let index = 0; index < 26; index++) ids.push(await captured.picture(start + index * 1_000, pieceOnBelt(index)));
  await data.openSource(/belt/);
  await expect(data.tiles).toHaveCount(24);
  await expect(data.tiles.first().locator('img')).toBeVisible();
  await data.pictures.focus();
  await page.keyboard.press('ArrowRight');
  await page.keyboard.press('End');
  await page.keyboard.press('Enter');
  await expect(page).toHaveURL(new RegExp(`picture=${ids[2]}`));
  await expect(data.dialog.getByRole('img')).toBeVisible();
  await page.keyboard.press('ArrowRight');
  await expect(page).toHaveURL(new RegExp(`picture=${ids[1]}`));
  await expect(data.tiles).toHaveCount(2);
  await page.keyboard.press('ArrowRight');
  await expect(page).toHaveURL(new RegExp(`picture=${ids[0]}`));
  await expect(data.dialog.getByRole('button', { name: 'Next' })).toBeDisabled();
  await expect(data.dialog.getByText(new Date(start).toISOString())).toBeVisible();

  await data.dialog.getByRole('textbox', { name: 'New tag' }).fill('scratched, first');
  await page.keyboard.press('Enter');
  await expect(data.dialog.getByRole('list', { name: 'Tags' })).toContainText('scratched');
  await data.dialog.getByRole('button', { name: 'Remove the tag first' }).click();
  await expect(data.dialog.getByRole('list', { name: 'Tags' })).not.toContainText('first');
  expect(await captured.tagsOf(ids[0] ?? '')).toEqual(['scratched']);
  const [file] = await Promise.all([
    page.waitForEvent('download'),
    data.dialog.getByRole('button', { name: 'Download' }).click(),
  ]);
  expect((await readFile(await file.path())).equals(pieceOnBelt(0))).toBe(true);
  await page.keyboard.press('Escape');
  await expect(page.getByRole('dialog')).toHaveCount(0);
  await expect(data.pictures).toBeFocused();

  await page.goto(`${page.url()}&tag=scratched`);
  await expect(data.tiles).toHaveCount(1);
  await expect(data.tiles.first()).toHaveAccessibleName(/scratched$/);
});

test('several are selected by corner, Shift and keys, tagged together, and deleted once that is confirmed', async ({
  page,
  captured,
  data,
}) => {
  const ids: string[] = [];
  for (let index = 0; index < 8; index++) ids.push(await captured.picture(start + index * 1_000, pieceOnBelt(index)));
  await data.openSource(/belt/);
  await data.tiles.nth(1).locator('.corner').click();
  await data.tiles.nth(3).click({ modifiers: ['Shift'] });
  await expect(data.selection).toContainText('3 selected');
  await data.tiles.nth(2).click({ modifiers: ['ControlOrMeta'] });
  await expect(data.selection).toContainText('2 selected');
  await data.selection.getByRole('textbox', { name: 'New tag' }).fill('batch 7');
  await data.selection.getByRole('button', { name: 'Add tag' }).click();
  await expect(data.selection.getByRole('list', { name: 'Tags' })).toContainText('batch 7');
  await expect(data.tiles.nth(3)).toContainText('batch 7');
  expect(await captured.tagsOf(ids[6] ?? '')).toEqual(['batch 7']);
  expect(await captured.tagsOf(ids[5] ?? '')).toEqual([]);
  await data.selection.getByRole('button', { name: 'Select none' }).click();

  await data.pictures.focus();
  await page.keyboard.press('Home');
  await page.keyboard.press('Space');
  await page.keyboard.press('Shift+ArrowRight');
  await expect(data.selection).toContainText('2 selected');
  await page.keyboard.press('Escape');
  await expect(data.selection).toHaveCount(0);
  await page.keyboard.press('ControlOrMeta+a');
  await expect(data.selection).toContainText('8 selected');
  await data.tiles.first().click({ modifiers: ['ControlOrMeta'] });

  await data.selection.getByRole('button', { name: 'Delete' }).click();
  await expect(data.dialog.getByText('This cannot be undone.')).toBeVisible();
  await data.dialog.getByRole('button', { name: 'Cancel' }).click();
  expect(await captured.tagsOf(ids[0] ?? '')).toEqual([]);
  await data.selection.getByRole('button', { name: 'Delete' }).click();
  await data.dialog.getByRole('button', { name: 'Delete 7 pictures' }).click();
  await expect(data.tiles).toHaveCount(1);
  await expect(data.source(/belt/)).toContainText('1 picture');
  expect(await captured.tagsOf(ids[0] ?? '')).toBeUndefined();
  expect(await captured.tagsOf(ids[7] ?? '')).toEqual([]);
});
