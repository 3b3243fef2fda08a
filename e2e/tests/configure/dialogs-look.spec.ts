import { expect, test } from '../../fixtures/machine-test.ts';
import { windowBench } from '../../fixtures/window-bench.ts';
import { ConfigurePage } from '../../page-objects/configure.ts';
import { checkLook } from '../../page-objects/look.ts';

test.use({ config: windowBench });

test('the questions before deleting, duplicating and discarding are accessible and fit a phone', async ({ page }) => {
  test.slow();
  const configure = new ConfigurePage(page);
  await configure.open('bench');
  await configure.choose('Delete');
  await expect(configure.dialog('Delete bench?')).toContainText('left · attributes.board');
  await checkLook(page, 'configure-delete');
  await page.keyboard.press('Escape');
  await configure.choose('Duplicate');
  await checkLook(page, 'configure-duplicate');
  await page.keyboard.press('Enter');
  await configure.bar.getByRole('button', { name: 'Discard' }).click();
  await expect(configure.dialog('Discard your changes?')).toBeVisible();
  await checkLook(page, 'configure-discard');
});
