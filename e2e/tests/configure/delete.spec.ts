import { expect, test } from '../../fixtures/machine-test.ts';
import { windowBench } from '../../fixtures/window-bench.ts';
import { ConfigurePage } from '../../page-objects/configure.ts';

test.use({ config: windowBench });

test(
  'deleting says what depends on it; it stays visible until applied, and can be brought back as it was',
  { tag: '@smoke' },
  async ({ page }) => {
    const configure = new ConfigurePage(page);
    await configure.open('bench');
    await configure.choose('Delete');
    const dialog = configure.dialog('Delete bench?');
    await expect(dialog).toContainText('wheel, left, right use it and will wait for it.');
    await expect(dialog).toContainText('left · attributes.board');
    await dialog.getByRole('button', { name: 'Delete' }).click();
    await expect(configure.resource('bench')).toContainText('removed');
    await expect(configure.middle).toContainText('bench is removed when you apply.');
    await configure.open('right');
    await expect(configure.middle).toContainText('bench (missing)');
    await configure.list.getByRole('button', { name: 'Bring back bench' }).click();
    await expect(configure.bar).toContainText('Everything is applied');
  },
);

test('the Delete key asks about the line it is on, and going back deletes nothing', async ({ page }) => {
  const configure = new ConfigurePage(page);
  await configure.open('climate');
  await page.keyboard.press('Delete');
  await expect(configure.dialog('Delete climate?')).toContainText('Nothing uses it.');
  await page.keyboard.press('Escape');
  await expect(configure.resource('climate')).toBeFocused();
  await expect(configure.bar).toContainText('Everything is applied');
});

test('what was never applied leaves nothing behind', async ({ page }) => {
  const configure = new ConfigurePage(page);
  await configure.addButton.click();
  await configure.addDialog.choose('sensor', 'fake');
  await configure.addDialog.dialog.getByRole('button', { name: 'Add sensor-1' }).click();
  await configure.choose('Delete');
  await configure.dialog('Delete sensor-1?').getByRole('button', { name: 'Delete' }).click();
  await expect(configure.resource('sensor-1')).toBeHidden();
  await expect(configure.bar).toContainText('Everything is applied');
});
