import { expect, test } from '../../fixtures/parts-test.ts';

test('a menu opens with the keyboard, finds by letter, chooses, and gives the focus back', async ({
  page,
  complaints,
}) => {
  const button = page.getByRole('button', { name: 'More for left' });
  await button.focus();
  await page.keyboard.press('Enter');
  await expect(page.getByRole('menuitem', { name: 'Rename' })).toBeFocused();
  await page.keyboard.press('d');
  await expect(page.getByRole('menuitem', { name: 'Duplicate' })).toBeFocused();
  await page.keyboard.press('ArrowDown');
  await expect(page.getByRole('menuitem', { name: 'Delete' })).toBeFocused();
  await page.keyboard.press('Enter');
  await expect(page.getByLabel('Chosen')).toHaveText('delete');
  await expect(button).toBeFocused();
  expect(complaints).toEqual([]);
});

test('Escape closes the menu, gives the focus back, and leaves an open dialog alone', async ({ page }) => {
  await page.getByRole('button', { name: 'Open a dialog' }).click();
  const button = page.getByRole('dialog').getByRole('button', { name: 'More in the dialog' });
  await button.click();
  await expect(page.getByRole('menu')).toBeVisible();
  await page.keyboard.press('Escape');
  await expect(page.getByRole('menu')).toBeHidden();
  await expect(button).toBeFocused();
  await expect(page.getByRole('dialog')).toBeVisible();
});

test('a click elsewhere closes the menu and chooses nothing', async ({ page }) => {
  await page.getByRole('button', { name: 'More for left' }).click();
  await expect(page.getByRole('menu')).toBeVisible();
  await page.getByRole('heading').click();
  await expect(page.getByRole('menu')).toBeHidden();
  await expect(page.getByLabel('Chosen')).toHaveText('');
});
