import { expect, test } from '../../fixtures/machine-test.ts';
import { windowBench } from '../../fixtures/window-bench.ts';
import { checkLook } from '../../page-objects/look.ts';
import { Palette, ShortcutList } from '../../page-objects/palette.ts';
import { Shell } from '../../page-objects/shell.ts';

test.use({ config: windowBench });

let list: ShortcutList;

test.beforeEach(async ({ page }) => {
  list = new ShortcutList(page);
  await expect(new Shell(page).machine).toContainText('5 of 5 ready');
});

test('? lists the shortcuts by screen; digits go to the screens', async ({ page }) => {
  await page.keyboard.press('ControlOrMeta+2');
  await expect(page).toHaveURL(/#\/control/);
  await list.open();
  await expect(list.dialog.getByRole('region')).toHaveText([
    /Everywhere/,
    /Configure/,
    /Control/,
    /Logs/,
    /History/,
    /Triggers/,
  ]);
  await expect(list.row('Go to Control')).toContainText('Ctrl 2');
});

test('? in a text field is a question mark', async ({ page }) => {
  const filter = page.getByRole('textbox').or(page.getByRole('searchbox')).first();
  await filter.focus();
  await page.keyboard.type('?');
  await expect(filter).toHaveValue('?');
  await expect(list.dialog).toBeHidden();
});

test('a shortcut can be changed, outlives a reload, and can be set back', async ({ page }) => {
  await list.open();
  await list.change('Go to Logs', 'F9');
  await expect(list.row('Go to Logs')).toContainText('F9');
  await page.keyboard.press('Escape');
  await page.reload();
  await expect(new Shell(page).machine).toContainText('5 of 5 ready');
  await page.keyboard.press('F9');
  await expect(page).toHaveURL(/#\/logs/);
  await list.open();
  await list.dialog.getByRole('button', { name: 'Reset the keys of “Go to Logs”' }).click();
  await expect(list.row('Go to Logs')).toContainText('Ctrl 3');
});

test('a chord that another command has is refused with its name, and can be taken from it', async ({ page }) => {
  await list.open();
  await list.change('Go to Logs', 'ControlOrMeta+k');
  await expect(list.row('Go to Logs')).toContainText('Ctrl K is used by “Commands”.');
  await expect(list.row('Go to Logs').locator('kbd')).toHaveText('Ctrl 3');
  await list.dialog.getByRole('button', { name: 'Use it here instead' }).click();
  await expect(list.row('Go to Logs').locator('kbd')).toHaveText('Ctrl K');
  await expect(list.row('Commands')).toContainText('no keys');
  await page.keyboard.press('Escape');
  await page.keyboard.press('ControlOrMeta+k');
  await expect(page).toHaveURL(/#\/logs/);
  await expect(new Palette(page).dialog).toBeHidden();
});

test('Esc and Space cannot be given away: they stop', async () => {
  await list.open();
  await list.change('Go to Logs', 'Space');
  await expect(list.row('Go to Logs')).toContainText('Space is reserved for stopping the machine');
  await list.change('Go to Logs', 'Escape');
  await expect(list.dialog).toBeVisible();
  await expect(list.row('Go to Logs').locator('kbd')).toHaveText('Ctrl 3');
});

test('no two commands have the same keys on any screen', async ({ page }) => {
  for (const screen of ['Control', 'Logs', 'Configure'] as const) await new Shell(page).open(screen);
  await list.open();
  await expect(list.dialog.getByText('has the same keys')).toHaveCount(0);
});

test('it is accessible in both themes', async ({ page }) => {
  for (const screen of ['Control', 'Logs', 'Configure'] as const) await new Shell(page).open(screen);
  await list.open();
  await checkLook(page, 'shell-shortcuts');
});
