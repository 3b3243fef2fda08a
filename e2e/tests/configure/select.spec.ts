import { expect, test } from '../../fixtures/machine-test.ts';
import { windowBench } from '../../fixtures/window-bench.ts';
import { ConfigurePage } from '../../page-objects/configure.ts';
import { checkAccess, keepPicture } from '../../page-objects/look.ts';
import { Shell } from '../../page-objects/shell.ts';

test.use({ config: windowBench });

test(
  'rows are selected by keyboard, disabled and enabled as one step each, and say how many',
  { tag: '@smoke' },
  async ({ page }) => {
    const configure = new ConfigurePage(page);
    await configure.open('wheel');
    await page.keyboard.press('Shift+ArrowDown');
    await page.keyboard.press('Shift+ArrowDown');
    await expect(configure.said('3 selected').first()).toBeAttached();
    await expect(configure.resource('right')).toBeFocused();
    await expect(configure.list.locator('a[tabindex="0"]')).toHaveCount(1);
    await page.keyboard.press('Control+Space');
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Control+Space');
    await expect(configure.selection).toContainText('3 selected');
    // What is open does not change while rows are selected.
    await expect(configure.heading('wheel')).toBeVisible();
    // A phone shows the list over the page, and without what was selected.
    await checkAccess(page, 'body', 'configure-selected');
    await keepPicture(page, 'configure-selected');
    await configure.selectionButton('Disable').click();
    await expect(configure.said('3 disabled.')).toBeVisible();
    await expect(configure.undoButton).toHaveAccessibleName('Undo: disable 3 resources');
    await configure.selectionButton('Enable').click();
    await expect(configure.bar).toContainText('Everything is applied');
    await configure.selectionButton('Clear').click();
    await expect(configure.selection).toBeHidden();
    await expect(configure.resource('climate')).toBeFocused();
  },
);

test('the list does not move when rows are selected, and a plain click opens as before', async ({ page }) => {
  const configure = new ConfigurePage(page);
  await configure.open('bench');
  const before = await configure.resource('left').boundingBox();
  await configure.resource('left').click({ modifiers: ['ControlOrMeta'] });
  await configure.resource('climate').click({ modifiers: ['ControlOrMeta'] });
  await expect(configure.selection).toContainText('2 selected');
  expect(await configure.resource('left').boundingBox()).toEqual(before);
  await expect(configure.heading('bench')).toBeVisible();
  expect(page.context().pages()).toHaveLength(1);
  await configure.open('right');
  await expect(configure.selection).toBeHidden();
});

test('a log level is set where there is one', async ({ page }) => {
  const configure = new ConfigurePage(page);
  await configure.open('bench');
  await page.keyboard.press('ControlOrMeta+a');
  await expect(configure.selection).toContainText('5 selected');
  await configure.selectionButton('Log level').click();
  await page.getByRole('menuitem', { name: 'debug' }).click();
  await expect(configure.said('Log level of 5 set to debug.')).toBeVisible();
  await configure.selectionButton('Log level').click();
  await page.getByRole('menuitem', { name: 'debug' }).click();
  await expect(configure.said('Nothing to change')).toBeVisible();
  await configure.undoButton.click();
  await expect(configure.bar).toContainText('Everything is applied');
});

test('deleting several says what depends on them, and is one step', async ({ page }) => {
  const configure = new ConfigurePage(page);
  await configure.open('bench');
  await page.keyboard.press('Shift+ArrowDown');
  await page.keyboard.press('Delete');
  const dialog = configure.dialog('Delete 2 resources?');
  await expect(dialog).toContainText('Deletes bench, wheel.');
  await expect(dialog).toContainText('left, right use some of them and will wait.');
  await expect(dialog).toContainText('left · attributes.encoder');
  await expect(dialog).not.toContainText('wheel · attributes.board');
  await dialog.getByRole('button', { name: 'Delete' }).click();
  await expect(configure.resource('bench')).toContainText('removed');
  await expect(configure.resource('wheel')).toContainText('removed');
  await configure.undoButton.click();
  await expect(configure.bar).toContainText('Everything is applied');
});

test('a filter takes its rows out of the selection, and Esc still stops the machine', async ({ page }) => {
  const configure = new ConfigurePage(page);
  await configure.open('bench');
  await page.keyboard.press('ControlOrMeta+a');
  await configure.filter.fill('motor');
  await expect(configure.selection).toContainText('2 selected');
  await configure.resource('left').focus();
  await page.keyboard.press('Escape');
  await expect(new Shell(page).stopOutcome).toContainText(/stop/i);
  await expect(configure.selection).toContainText('2 selected');
});
