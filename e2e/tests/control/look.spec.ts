import { expect, test } from '../../fixtures/machine-test.ts';
import { windowBench } from '../../fixtures/window-bench.ts';
import { ControlPage } from '../../page-objects/control.ts';
import { checkLook } from '../../page-objects/look.ts';
import { Shell } from '../../page-objects/shell.ts';

const waves = JSON.stringify({
  celsius: { wave: 'sine', min: 20, max: 24, period_ms: 9_000 },
  humidity: { wave: 'ramp', min: 35, max: 45, period_ms: 12_000 },
  door: 'closed',
  place: { x: 1, y: -2.5 },
});
test.use({ config: windowBench.replace('{ "celsius": 21.5 }', waves) });

test('the screen is accessible in both themes with control off', async ({ page }) => {
  await new Shell(page).open('Control');
  await expect(new ControlPage(page).motor('right').estimatedMark).toBeVisible();
  await checkLook(page, 'control-off');
});

test('the screen is accessible in both themes with a motor turning and a pin open', async ({ page }) => {
  await new Shell(page).open('Control');
  const control = new ControlPage(page);
  const bench = control.board('bench');
  await control.enable();
  await bench.addPin('37');
  await bench.setPin('37', 'high');
  await expect(bench.pinValue('37')).toContainText('high');
  await control.motor('left').choose('Go to');
  await control.motor('left').position.fill('40');
  await control.motor('left').rpm.fill('90');
  await control.motor('left').go.click();
  await expect.poll(() => control.motor('left').value('position')).toBeGreaterThan(8);
  await checkLook(page, 'control');
});

test('the sensors are accessible in both themes', async ({ page }) => {
  await new Shell(page).open('Control');
  const control = new ControlPage(page);
  await control.show('Sensors');
  await expect(control.plot('climate').line('celsius')).toContainText(/\d/);
  await control.card('climate').getByText(/^Last/).click();
  await expect(control.card('climate').getByRole('group', { name: 'Last readings' })).toContainText(':');
  await checkLook(page, 'control-sensors');
});
