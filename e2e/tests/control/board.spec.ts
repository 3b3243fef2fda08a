import { expect, test } from '../../fixtures/machine-test.ts';
import { windowBench } from '../../fixtures/window-bench.ts';
import { ControlPage } from '../../page-objects/control.ts';
import { Shell } from '../../page-objects/shell.ts';

test.use({ config: windowBench });

test.beforeEach(async ({ page }) => {
  await new Shell(page).open('Control');
});

test('a pin is set and read back', { tag: '@smoke' }, async ({ page }) => {
  const control = new ControlPage(page);
  const bench = control.board('bench');
  await control.enable();
  await bench.addPin('37');
  await expect(bench.pinValue('37')).toContainText('not read');
  await bench.setPin('37', 'high');
  await expect(bench.pinValue('37')).toContainText('high');
  await bench.setPin('37', 'low');
  await bench.readPin('37');
  await expect(bench.pinValue('37')).toContainText('low');
});

test('a duty cycle is set and read back', async ({ page }) => {
  const control = new ControlPage(page);
  const bench = control.board('bench');
  await control.enable();
  await bench.addPin('38');
  await bench.setDuty('38', '45');
  await expect(bench.pinValue('38')).toContainText('45.0 %');
});

test('a pin can be read but not set before control is switched on', async ({ page }) => {
  const bench = new ControlPage(page).board('bench');
  await bench.addPin('37');
  await bench.readPin('37');
  await expect(bench.pinValue('37')).toContainText('low');
  await expect(bench.card.getByRole('button', { name: 'Set pin 37 high' })).toBeDisabled();
});

test('analogs and interrupts are live', async ({ page }) => {
  const bench = new ControlPage(page).board('bench');
  await expect(bench.analog('pot')).toContainText(/\d/);
  const before = await bench.analog('pot').innerText();
  await expect(bench.analog('pot')).not.toHaveText(before);
  await expect(bench.row('enc-a')).toContainText(/ k?Hz/);
});

test('a sensor shows its readings and an encoder its position, live', { tag: '@smoke' }, async ({ page, machine }) => {
  const control = new ControlPage(page);
  await expect(control.card('climate')).toContainText('celsius');
  await expect(control.card('climate')).toContainText('21.5');
  await expect(control.card('wheel')).toContainText(/position\s*0 ticks/);
  await machine.writeConfig(windowBench.replace('21.5', '28.25'));
  await expect(control.card('climate')).toContainText('28.25');
  await control.enable();
  await control.motor('left').forward.hover();
  await page.mouse.down();
  await expect(control.card('wheel')).toContainText(/position\s*[1-9][\d,]* ticks/);
  await page.mouse.up();
});
