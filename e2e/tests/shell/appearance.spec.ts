import { expect, test } from '../../fixtures/machine-test.ts';
import { windowBench } from '../../fixtures/window-bench.ts';
import { Shell } from '../../page-objects/shell.ts';

test.use({ config: windowBench });

test('compact makes rows and fields lower, and outlives a reload', async ({ page }) => {
  const shell = new Shell(page);
  const height = async (): Promise<number> =>
    (await shell.rail.getByRole('link', { name: 'Logs' }).boundingBox())?.height ?? 0;
  const comfortable = await height();
  await shell.chooseDensity('Compact');
  await expect(page.locator('html')).toHaveAttribute('data-density', 'compact');
  await expect.poll(height).toBeLessThan(comfortable);
  await page.reload();
  await expect(page.locator('html')).toHaveAttribute('data-density', 'compact');
});

test('a page kept dark is dark before its program runs', async ({ page, machine }) => {
  const shell = new Shell(page);
  await shell.chooseTheme('Dark');
  await expect(page.locator('html')).toHaveAttribute('data-theme', 'dark');
  // The program is held back: what is painted now is what a slow computer would flash.
  await page.route(/assets\/main-[^/]+\.js$/, () => undefined);
  await page.goto(`${machine.url}/?again`, { waitUntil: 'commit' });
  await expect
    .poll(() => page.evaluate(`document.body && getComputedStyle(document.body).backgroundColor`))
    .toBe('rgb(18, 20, 23)');
  await expect(page.locator('#app')).toBeEmpty();
});

test('who asked for less motion gets none', async ({ page }) => {
  await page.emulateMedia({ reducedMotion: 'reduce' });
  const duration = await page.evaluate(`getComputedStyle(document.querySelector('.chip')).transitionDuration`);
  expect(Number.parseFloat(String(duration))).toBeLessThan(0.001);
});
