import { expect, test } from '../../fixtures/machine-test.ts';
import { windowBench } from '../../fixtures/window-bench.ts';
import { ControlPage } from '../../page-objects/control.ts';
import { Shell } from '../../page-objects/shell.ts';

test.use({ config: windowBench });

test('what is shown stands in the address, and an address shows it', async ({ page }) => {
  await new Shell(page).open('Control');
  const control = new ControlPage(page);
  await control.show('Motors');
  await expect(page).toHaveURL(/#\/control\?show=motors$/);
  await expect(control.card('bench')).toHaveCount(0);
  await page.evaluate(`location.hash = '#/control?show=boards'`);
  await expect(control.card('bench')).toBeVisible();
  await expect(control.card('left')).toHaveCount(0);
  await control.show('All');
  await expect(page).toHaveURL(/#\/control$/);
});

test('the card that the address names is marked and scrolled to', async ({ page }) => {
  await page.setViewportSize({ width: 1000, height: 500 });
  await page.evaluate(`location.hash = '#/control?resource=wheel'`);
  const wheel = new ControlPage(page).card('wheel');
  await expect(wheel).toHaveAttribute('aria-current', 'true');
  await expect(wheel).toBeInViewport();
  await page.evaluate(`location.hash = '#/control?resource=core:component:motor/left'`);
  await expect(new ControlPage(page).card('left')).toBeInViewport();
  await expect(wheel).not.toHaveAttribute('aria-current', 'true');
});
