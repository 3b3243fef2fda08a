import { expect, test } from '../../fixtures/machine-test.ts';
import { ConfigurePage } from '../../page-objects/configure.ts';
import { Shell } from '../../page-objects/shell.ts';
import { ControlPage } from '../../page-objects/control.ts';
import { checkLook } from '../../page-objects/look.ts';

test.use({ config: '{ "network": { "bind_address": "localhost:0" } }\n' });

test(
  'an empty machine says how to begin; a board and a motor on it are added with the keyboard alone',
  { tag: '@smoke' },
  async ({ page }) => {
    const configure = new ConfigurePage(page);
    await expect(page.getByRole('heading', { name: 'This machine has no resources yet' })).toBeVisible();
    await page.getByRole('button', { name: 'Add the first one' }).focus();
    await page.keyboard.press('Enter');
    await expect(configure.addDialog.search).toBeFocused();
    await page.keyboard.type('motor gpio');
    await expect(configure.addDialog.chosen).toContainText('gpio');
    await expect(configure.addDialog.dialog).toContainText(/Needs one board\.\s*There is none yet\./);
    // What it needs is one click away, and what was wanted comes back.
    await page.keyboard.press('Tab');
    await expect(page.getByRole('button', { name: 'Add one board first' })).toBeFocused();
    await page.keyboard.press('Enter');
    await expect(configure.addDialog.chosen).toContainText('A board without hardware');
    await page.keyboard.press('Enter');
    await expect(configure.addDialog.dialog).toContainText('Added board-1.');
    await expect(configure.addDialog.chosen).toContainText('gpio');
    await expect(configure.addDialog.dialog).toContainText('Uses board-1, the only one.');
    await page.keyboard.press('Enter');
    await expect(configure.heading('motor-1')).toBeVisible();
    await expect(configure.resource('motor-1')).toContainText('new');
    await expect(configure.resource('board-1')).toContainText('new');
    await configure.openText();
    await expect(configure.editor).toContainText('"board": "board-1"');
  },
);

test('a model is found by typing, a name that cannot be is explained, and Enter adds', async ({ page }) => {
  const configure = new ConfigurePage(page);
  await configure.addButton.click();
  const { search, name, chosen, dialog } = configure.addDialog;
  await search.fill('no such thing');
  await expect(dialog).toContainText('Nothing matches “no such thing”.');
  await search.fill('fake sensor');
  await expect(chosen).toContainText('fixed readings and waves');
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('ArrowUp');
  await expect(name).toHaveValue('sensor-1');
  await name.fill('my sensor');
  await expect(dialog).toContainText('A name has no spaces: use - or _ between words.');
  await expect(dialog.getByRole('button', { name: /^Add my/ })).toBeDisabled();
  await name.fill('climate');
  await page.keyboard.press('Enter');
  await expect(configure.heading('climate')).toBeVisible();
  await expect(dialog).toBeHidden();
  await configure.addButton.click();
  await configure.addDialog.choose('sensor', 'fake');
  await name.fill('climate');
  await expect(dialog).toContainText('climate already exists');
});

test('the demo bench is wired: its motor turns at the first press, and its encoder counts', async ({ page }) => {
  const configure = new ConfigurePage(page);
  await page.getByRole('button', { name: 'Add the demo bench' }).click();
  await expect(configure.resource('bench')).toContainText('new');
  await expect(configure.problems).toContainText('No problems');
  await configure.review();
  await configure.applyPlan();
  await expect(new Shell(page).machine).toContainText('4 of 4 ready');
  const control = new ControlPage(page);
  const wheel = await control.openWith('wheel');
  await wheel.go.click();
  await expect(wheel.command).toContainText('done');
  expect(await wheel.value('position')).toBeCloseTo(1, 1);
  await expect(control.card('wheel-encoder')).toContainText(/position\s*3[56]\d ticks/);
  await expect(control.card('climate')).toContainText('temperature_c');
});

test('the empty machine and the dialog are accessible', async ({ page }) => {
  const configure = new ConfigurePage(page);
  await expect(page.getByRole('button', { name: 'Add the first one' })).toBeVisible();
  await checkLook(page, 'configure-empty');
  await configure.addButton.click();
  await configure.addDialog.search.fill('motor');
  await checkLook(page, 'configure-add');
});

test('the dialog keeps its height while somebody types', async ({ page }) => {
  const configure = new ConfigurePage(page);
  await configure.addButton.click();
  const { dialog, search } = configure.addDialog;
  const box = await dialog.boundingBox();
  for (const words of ['m', 'motor', 'motor gpio', 'nothing of that name']) {
    await search.fill(words);
    expect(await dialog.boundingBox(), words).toEqual(box);
  }
});
