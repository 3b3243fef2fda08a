import { expect, test } from '../../fixtures/machine-test.ts';
import { windowBench } from '../../fixtures/window-bench.ts';
import { ControlPage } from '../../page-objects/control.ts';
import { Shell } from '../../page-objects/shell.ts';

test.use({ config: windowBench });

test('an encoder shows ticks, angle and rate, and is set to 0 only while control is on', async ({ page }) => {
  await new Shell(page).open('Control');
  const control = new ControlPage(page);
  const wheel = control.card('wheel');
  const reset = wheel.getByRole('button', { name: 'Set to 0 here' });
  await expect(wheel).toContainText(/position\s*0 ticks/);
  await expect(wheel).toContainText(/angle\s*≈ 0\.0 °/);
  await expect(reset).toBeDisabled();
  await control.enable();
  await control.motor('left').forward.hover();
  await page.mouse.down();
  await expect(wheel).toContainText(/rate\s*[1-9][\d,]* ticks\/s/);
  await page.mouse.up();
  await expect(wheel).toContainText(/rate\s*0 ticks\/s/);
  await expect(wheel).toContainText(/position\s*[1-9]/);
  await reset.click();
  await expect(wheel.getByRole('status').last()).toContainText('set to 0: done in');
  await expect(wheel).toContainText(/position\s*0 ticks/);
});
