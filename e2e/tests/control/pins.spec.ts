import { expect, test } from '../../fixtures/machine-test.ts';
import { windowBench } from '../../fixtures/window-bench.ts';
import { ControlPage } from '../../page-objects/control.ts';
import { Shell } from '../../page-objects/shell.ts';

test.use({ config: windowBench });

test.beforeEach(async ({ page }) => {
  await new Shell(page).open('Control');
});

test('the pins that the configuration uses are listed with their use and user, and are not set here', async ({
  page,
}) => {
  const control = new ControlPage(page);
  const bench = control.board('bench');
  await expect(bench.row('Pin 11')).toContainText(/11\s*out.*left/s);
  await expect(bench.row('Pin 15')).toContainText(/15\s*pwm.*right/s);
  await expect(bench.row('enc-a')).toContainText(/21 enc-a\s*irq.*wheel/s);
  await control.enable();
  await expect(bench.card.getByRole('button', { name: 'Settings of pin 11' })).toHaveCount(0);
  await bench.addPin('11');
  await expect(bench.card.getByText('Pin 11 is already in the list: left.')).toBeVisible();
});

test('a pin that is watched follows the board', async ({ page }) => {
  const control = new ControlPage(page);
  const bench = control.board('bench');
  await bench.card.getByRole('button', { name: 'Watch pin 12' }).click();
  await expect(bench.pinValue('12')).toContainText('0.0 %');
  await control.enable();
  await control.motor('left').forward.hover();
  await page.mouse.down();
  await expect(bench.pinValue('12')).toContainText('30.0 %');
  await page.mouse.up();
  await expect(bench.pinValue('12')).toContainText('0.0 %');
});

test('an interrupt shows how often it ticks', async ({ page }) => {
  const control = new ControlPage(page);
  const bench = control.board('bench');
  await expect(bench.row('enc-a')).toContainText('0.0 Hz');
  await control.enable();
  await control.motor('left').forward.hover();
  await page.mouse.down();
  await expect(bench.row('enc-a')).toContainText(/[1-9][\d.]* Hz/);
  await page.mouse.up();
});

test('the pins that were added are there in the next window of this browser', async ({ page, machine }) => {
  const bench = new ControlPage(page).board('bench');
  await bench.addPin('37');
  await expect(bench.row('Pin 37')).toBeVisible();
  await page.goto('about:blank');
  await page.goto(machine.pageUrl);
  await new Shell(page).open('Control');
  await expect(bench.row('Pin 37')).toContainText('not read');
});

test('a PWM frequency is set and read back, and a wrong one is not sent', async ({ page }) => {
  const control = new ControlPage(page);
  const bench = control.board('bench');
  await control.enable();
  await bench.addPin('38');
  await bench.setDuty('38', '45');
  const frequency = bench.card.getByRole('textbox', { name: 'Frequency of pin 38' });
  await frequency.fill('800.5');
  await expect(bench.card.getByText('must be a whole number')).toBeVisible();
  await expect(bench.card.getByRole('button', { name: 'Set the frequency of pin 38' })).toBeDisabled();
  await frequency.fill('800');
  await frequency.press('Enter');
  await expect(bench.row('Pin 38')).toContainText('800 Hz');
});

test.describe('with an analog that reads back', () => {
  test.use({ config: windowBench.replace('"pin": "0", "chip_select"', '"pin": "1", "chip_select"') });

  test('an analog output is set and goes to 0 when control goes off', async ({ page }) => {
    const control = new ControlPage(page);
    const bench = control.board('bench');
    await control.enable();
    await bench.addPin('1');
    await bench.card.getByRole('textbox', { name: 'Analog out of pin 1' }).fill('512');
    await bench.card.getByRole('button', { name: 'Set the analog out of pin 1' }).click();
    await expect(bench.analog('pot')).toContainText('512');
    await control.enableSwitch.click();
    await expect(bench.analog('pot')).toContainText(/^\s*pot\s*0/);
  });
});
