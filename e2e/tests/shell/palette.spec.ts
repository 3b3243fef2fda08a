import { expect, test } from '../../fixtures/machine-test.ts';
import { windowBench } from '../../fixtures/window-bench.ts';
import { checkLook } from '../../page-objects/look.ts';
import { Palette } from '../../page-objects/palette.ts';
import { Shell } from '../../page-objects/shell.ts';

test.use({ config: windowBench });

let palette: Palette;

test.beforeEach(async ({ page }) => {
  palette = new Palette(page);
  await expect(new Shell(page).machine).toContainText('5 of 5 ready');
});

test('Ctrl+K finds a screen by a few letters and goes there', { tag: '@smoke' }, async ({ page }) => {
  await palette.run('go logs');
  await expect(page).toHaveURL(/#\/logs/);
});

test('each resource opens in Configure, Control and Logs', async ({ page }) => {
  await palette.run('left control');
  await expect(page).toHaveURL(/#\/control\?resource=left/);
  await palette.run('left logs');
  await expect(page).toHaveURL(/#\/logs\?resource=core:component:motor\/left/);
  await palette.run('left configure');
  await expect(page).toHaveURL(/#\/configure\/resource\/left/);
});

test('arrows choose, what was run lately comes first, and a setting can be run', async ({ page }) => {
  await palette.open();
  await page.keyboard.type('theme');
  await expect(palette.results).toHaveText([/Theme: Dark/, /Theme: Light/, /Theme: System/]);
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('Enter');
  await expect(palette.dialog).toBeHidden();
  await palette.open();
  await expect(palette.results.first()).toContainText('Theme: Light');
  await page.keyboard.press('Escape');
  await palette.run('theme dark');
  await expect(page.locator('html')).toHaveAttribute('data-theme', 'dark');
  await palette.open();
  await expect(palette.results.first()).toContainText('Theme: Dark');
});

test('the header opens it too; the chord and Esc close it, the focus comes back, and nothing is stopped', async ({
  page,
}) => {
  const button = page.getByRole('button', { name: 'Search or run a command' });
  await button.focus();
  await page.keyboard.press('Enter');
  await expect(palette.search).toBeFocused();
  await page.keyboard.press('Escape');
  await expect(palette.dialog).toBeHidden();
  await expect(button).toBeFocused();
  await palette.open();
  await page.keyboard.press('ControlOrMeta+k');
  await expect(palette.dialog).toBeHidden();
  await expect(button).toBeFocused();
  await expect(new Shell(page).stopOutcome).toHaveText('');
});

test('a search that finds nothing says so', async ({ page }) => {
  await palette.open();
  await page.keyboard.type('zebra');
  await expect(palette.dialog.getByText('Nothing matches “zebra”.')).toBeVisible();
  await page.keyboard.press('Enter');
  await expect(palette.dialog).toBeVisible();
});

test('it is accessible in both themes', async ({ page }) => {
  await palette.open();
  await checkLook(page, 'shell-palette');
});
