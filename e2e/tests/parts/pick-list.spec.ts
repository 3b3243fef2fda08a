import { expect, test } from '../../fixtures/parts-test.ts';
import { checkAccess, keepPicture } from '../../page-objects/look.ts';

test('a list shows its value with its detail, opens with all, and takes what is clicked', async ({
  page,
  complaints,
}) => {
  const board = page.getByRole('combobox', { name: 'Board' });
  await expect(board).toHaveValue('bench');
  await expect(page.getByText('used by 4')).toBeVisible();
  await board.click();
  await expect(page.getByRole('option')).toHaveText(['none', /bench/, /spare/, /upper/]);
  await page.getByRole('option', { name: /upper/ }).click();
  await expect(page.getByLabel('Values')).toContainText('board=upper');
  await expect(page.getByRole('listbox')).toHaveCount(0);
  expect(complaints).toEqual([]);
});

test('typing narrows the list, arrows and Enter choose, Tab goes on', async ({ page }) => {
  const pin = page.getByRole('combobox', { name: 'Pin' });
  await pin.focus();
  await page.keyboard.press('ArrowDown');
  await expect(page.getByRole('option')).toHaveCount(5);
  await page.keyboard.type('18');
  await expect(page.getByRole('option')).toHaveText([/GPIO18/]);
  await page.keyboard.press('Enter');
  await expect(page.getByLabel('Values')).toContainText('pin=18');
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('Enter');
  await expect(page.getByLabel('Values')).toContainText('pin=22');
  await page.keyboard.press('Tab');
  await expect(page.getByRole('combobox', { name: 'Sensor' })).toBeFocused();
});

test('free text is taken as it stands where it may be, and never what is only like it', async ({ page }) => {
  const pin = page.getByRole('combobox', { name: 'Pin' });
  await pin.click();
  await page.keyboard.type('1');
  await page.keyboard.press('Enter');
  await expect(page.getByLabel('Values')).toContainText('pin=1 ');
  await page.keyboard.press('ControlOrMeta+a');
  await page.keyboard.type('line 7');
  await page.keyboard.press('Tab');
  await expect(page.getByLabel('Values')).toContainText('pin=line 7 ');
});

test('a value that is not in the list stays visible, and text that may not be taken leaves it as it was', async ({
  page,
}) => {
  const sensor = page.getByRole('combobox', { name: 'Sensor' });
  await expect(sensor).toHaveValue('gone');
  await sensor.click();
  await page.keyboard.type('nothing like it');
  await expect(page.getByText('Nothing matches “nothing like it”.')).toBeVisible();
  await page.keyboard.press('Enter');
  await expect(sensor).toHaveValue('gone');
  await expect(page.getByLabel('Values')).toContainText('sensor=gone');
});

test('a list of 500 says how many it leaves out', async ({ page }) => {
  await page.getByRole('combobox', { name: 'Sensor' }).click();
  await expect(page.getByText('and 400 more')).toBeVisible();
  await page.keyboard.type('499');
  await expect(page.getByRole('option')).toHaveText(['resource-499']);
});

test('Escape closes the list, gives back the text, and leaves an open dialog alone', async ({ page }) => {
  await page.getByRole('button', { name: 'Open a dialog' }).click();
  const dialog = page.getByRole('dialog');
  const board = dialog.getByRole('combobox');
  await board.click();
  await page.keyboard.type('ben');
  await expect(page.getByRole('option')).toHaveText([/bench/]);
  await page.keyboard.press('Escape');
  await expect(page.getByRole('listbox')).toHaveCount(0);
  await expect(board).toHaveValue('upper');
  await expect(board).toBeFocused();
  await expect(dialog).toBeVisible();
  await page.keyboard.press('Escape');
  await expect(dialog).toBeHidden();
});

for (const theme of ['light', 'dark']) {
  test(`lists and menus are accessible, closed and open: ${theme}`, async ({ page, complaints }) => {
    await page.evaluate(`document.documentElement.dataset.theme = '${theme}'`);
    await checkAccess(page, 'body', 'closed');
    await page.getByRole('combobox', { name: 'Pin' }).click();
    await checkAccess(page, 'body', 'list open');
    await keepPicture(page, `parts-list-${theme}`);
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'More for left' }).click();
    await expect(page.getByRole('menu')).toBeVisible();
    await checkAccess(page, 'body', 'menu open');
    await keepPicture(page, `parts-menu-${theme}`);
    expect(complaints).toEqual([]);
  });
}
