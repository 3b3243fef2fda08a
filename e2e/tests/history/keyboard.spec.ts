import { expect, test } from '../../fixtures/history-test.ts';
import { windowBench } from '../../fixtures/window-bench.ts';

test('by the keyboard alone: find, go through the list, open, compare, restore', async ({ page, pair, history }) => {
  const text = (celsius: number): string => windowBench.replace('"celsius": 21.5', `"celsius": ${celsius}`);
  await pair.applyAll([text(1), text(2), text(3), text(4)]);
  await history.open();
  await expect(history.rows).toHaveCount(4);
  await page.keyboard.press('ControlOrMeta+f');
  await expect(history.search).toBeFocused();
  await page.keyboard.type('climate');
  await expect(page.getByText('4 versions found')).toBeVisible();
  await page.keyboard.press('Tab');
  await expect(page.getByRole('button', { name: 'Clear the search' })).toBeFocused();
  await page.keyboard.press('Tab');
  await expect(history.list).toBeFocused();
  await page.keyboard.press('End');
  await page.keyboard.press('Enter');
  await expect(history.pane(1)).toBeVisible();
  await expect(history.row(1)).toHaveAttribute('aria-selected', 'true');
  await page.keyboard.press('ArrowUp');
  await page.keyboard.press('Shift+Enter');
  await expect(history.other).toHaveValue('2');
  await expect(history.pane(1)).toBeVisible();
  await expect(history.difference('climate')).toContainText('celsius  2');
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('Enter');
  await expect(history.restoreButton).toHaveAttribute('aria-disabled', 'false');
  for (let steps = 0; steps < 12; steps++) {
    const focused = await page.evaluate<string>('document.activeElement?.textContent ?? ""');
    if (focused.trim() === 'Restore 1') break;
    await page.keyboard.press('Tab');
  }
  await expect(history.restoreButton).toBeFocused();
  await page.keyboard.press('Enter');
  await expect(history.restoreCard).toContainText('Restored: version 5 has the text of 1');
});
