import type { Page } from '@playwright/test';
import { expect, test } from '../../fixtures/machine-test.ts';
import { windowBench } from '../../fixtures/window-bench.ts';
import { ControlPage } from '../../page-objects/control.ts';
import { Palette } from '../../page-objects/palette.ts';
import { Shell } from '../../page-objects/shell.ts';

test.use({ config: windowBench });

const stopped = 'All stopped';
let shell: Shell;
let control: ControlPage;

test.beforeEach(async ({ page }) => {
  shell = new Shell(page);
  control = new ControlPage(page);
  await shell.open('Control');
  await expect(control.motor('left').state).toHaveText('still');
});

/** Puts the focus there as the keyboard does, without a pointer. */
async function focusByKeyboard(page: Page, name: string): Promise<void> {
  await page.getByRole('button', { name, exact: true }).first().focus();
}

test(
  'Space stops while control is on, also on the button that was just clicked',
  { tag: '@smoke' },
  async ({ page }) => {
    await control.enable();
    await expect(control.enableSwitch).toBeFocused();
    await page.keyboard.press('Space');
    await expect(shell.stopOutcome).toContainText(stopped);
    await expect(control.enableSwitch).toHaveAttribute('aria-checked', 'true');
  },
);

test('Space does not stop while control is off', async ({ page }) => {
  await page.keyboard.press('Space');
  await expect(control.motor('left').state).toHaveText('still');
  await expect(shell.stopOutcome).toHaveText('');
});

test('Space types in a text field', async ({ page }) => {
  await control.enable();
  await control.motor('left').rpm.fill('');
  await page.keyboard.press('Space');
  await expect(control.motor('left').rpm).toHaveValue(' ');
  await expect(shell.stopOutcome).toHaveText('');
});

test('Space presses a button that the keyboard reached', async ({ page }) => {
  await control.enable();
  await focusByKeyboard(page, 'Dark');
  await page.keyboard.press('Space');
  await expect(page.locator('html')).toHaveAttribute('data-theme', 'dark');
  await expect(shell.stopOutcome).toHaveText('');
});

test('Esc stops with control on, whatever else it closes', async ({ page }) => {
  await control.enable();
  const palette = new Palette(page);
  await palette.open();
  await page.keyboard.press('Escape');
  await expect(palette.dialog).toBeHidden();
  await expect(shell.stopOutcome).toContainText(stopped);
});

test('Stop can be pressed over an open dialog, at the same place', async ({ page }) => {
  const before = await shell.stopAll.boundingBox();
  await new Palette(page).open();
  await expect(shell.stopAll).toHaveCount(1);
  expect(await shell.stopAll.boundingBox()).toEqual(before);
  await shell.stopAll.click();
  await expect(page.getByText('All stopped. Pins that were set directly are at their safe level.')).toBeVisible();
});

test('two windows that stop at once both hear that it was done', async ({ page, context, machine }) => {
  const other = await context.newPage();
  await other.goto(machine.pageUrl);
  await expect(new Shell(other).machine).toContainText('5 of 5 ready');
  await control.enable();
  for (let round = 0; round < 3; round += 1) {
    await control.motor('left').revolutions.fill('1000');
    await control.motor('left').rpm.fill('60');
    await control.motor('left').go.click();
    await expect(control.motor('left').state).toHaveText('moving');
    await Promise.all([
      page.getByRole('button', { name: 'Stop all' }).click(),
      other.getByRole('button', { name: 'Stop all' }).click(),
    ]);
    await expect(new Shell(other).stopOutcome).toContainText(stopped);
    await expect(shell.stopOutcome).toContainText(stopped);
    await expect(control.motor('left').state).toHaveText('still');
  }
});
