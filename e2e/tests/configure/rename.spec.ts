import { expect, test } from '../../fixtures/machine-test.ts';
import { windowBench } from '../../fixtures/window-bench.ts';
import { ConfigurePage } from '../../page-objects/configure.ts';
import { checkLook } from '../../page-objects/look.ts';

test.use({ config: windowBench });

test(
  'a rename shows what names the resource, updates it in one step, and leaves everything else as it was',
  { tag: '@smoke' },
  async ({ page }) => {
    const configure = new ConfigurePage(page);
    await configure.open('bench');
    await configure.choose('Rename');
    const dialog = configure.dialog('Rename bench');
    await dialog.getByRole('textbox', { name: 'New name' }).fill('bench-2');
    await expect(dialog.getByRole('checkbox')).toHaveCount(3);
    await expect(dialog).toContainText('left · attributes.board: bench → bench-2');
    await checkLook(page, 'configure-rename');
    await page.keyboard.press('Enter');
    await expect(configure.heading('bench-2')).toBeVisible();
    expect(page.url()).toContain('/configure/resource/bench-2');
    await expect(configure.resource('left')).toContainText('changed');
    await configure.open('left');
    await expect(configure.middle.getByRole('link', { name: 'bench-2' })).toBeVisible();
    await expect(configure.bar).not.toContainText('Everything is applied');
    await configure.openText();
    await page.keyboard.press('ControlOrMeta+z');
    await expect(configure.bar).toContainText('Everything is applied');
  },
);

test('a place that is not updated keeps the old name, and that is said', async ({ page }) => {
  const configure = new ConfigurePage(page);
  await configure.open('wheel');
  await configure.choose('Rename');
  const dialog = configure.dialog('Rename wheel');
  await dialog.getByRole('textbox', { name: 'New name' }).fill('left');
  await expect(dialog).toContainText('left already exists');
  await dialog.getByRole('textbox', { name: 'New name' }).fill('ring');
  await dialog.getByRole('checkbox', { name: /^left/ }).uncheck();
  await expect(dialog).toContainText('1 reference will point to nothing: wheel');
  await dialog.getByRole('button', { name: 'Rename', exact: true }).click();
  await configure.open('left');
  await expect(configure.middle).toContainText('wheel (missing)');
});
