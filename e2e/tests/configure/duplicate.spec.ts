import { expect, test } from '../../fixtures/machine-test.ts';
import { windowBench } from '../../fixtures/window-bench.ts';
import { ConfigurePage } from '../../page-objects/configure.ts';

test.use({ config: windowBench });

test('a duplicate has a name of its own, everything else alike, and is one step', async ({ page }) => {
  const configure = new ConfigurePage(page);
  await configure.open('climate');
  await configure.choose('Duplicate');
  const dialog = configure.dialog('Duplicate climate');
  await expect(dialog.getByRole('textbox', { name: 'Name of the copy' })).toHaveValue('climate-2');
  await page.keyboard.press('Enter');
  await expect(configure.heading('climate-2')).toBeVisible();
  await expect(configure.resource('climate-2')).toContainText('new');
  await configure.openText();
  await expect(configure.editor).toContainText('"name": "climate-2"');
  await page.keyboard.press('ControlOrMeta+z');
  await expect(configure.resource('climate-2')).toBeHidden();
  await expect(configure.bar).toContainText('Everything is applied');
});
