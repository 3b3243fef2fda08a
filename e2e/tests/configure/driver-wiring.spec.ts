import { expect, test } from '../../fixtures/machine-test.ts';
import { windowBench } from '../../fixtures/window-bench.ts';
import { ConfigurePage } from '../../page-objects/configure.ts';
import { DriverWiring } from '../../page-objects/driver-wiring.ts';
import { checkAccess, checkLook, keepPicture } from '../../page-objects/look.ts';
import { ResourceForm } from '../../page-objects/resource-form.ts';

test.use({ config: windowBench });

test('a driver board shows where each pin goes, and lights the wire of the field that is used', async ({ page }) => {
  const configure = new ConfigurePage(page);
  const form = new ResourceForm(page);
  const wiring = new DriverWiring(page);
  await configure.open('left');
  await wiring.choose('L298N');
  // The choice is nothing of the configuration.
  await expect(configure.bar).toContainText('Everything is applied.');
  await expect(wiring.row('12 ENA')).toBeVisible();
  await expect(wiring.row('GND GND')).toBeVisible();
  await expect(wiring.shown).toContainText('take its jumper off');
  await form.pick('In1 (a)').fill('');
  await page.keyboard.press('Tab');
  await expect(form.pick('In2 (b)')).toBeFocused();
  await expect(wiring.row('choose a pin IN1')).toBeVisible();
  await expect(wiring.wire('a')).toContainText('choose a pin');
  await expect(wiring.wire('b')).toHaveClass(/lit/);
  await expect(wiring.wire('a')).not.toHaveClass(/lit/);
  await form.pick('In1 (a)').hover();
  await expect(wiring.wire('a')).toHaveClass(/lit/);
  await form.pick('In1 (a)').fill('7');
  await page.keyboard.press('Tab');
  await expect(wiring.row('7 IN1')).toBeVisible();
  await expect(configure.bar).toContainText('left');
});

test('from the words of a wire, by keys or with the mouse, the focus goes to its field', async ({ page }) => {
  const configure = new ConfigurePage(page);
  const form = new ResourceForm(page);
  const wiring = new DriverWiring(page);
  await configure.open('left');
  await wiring.board.focus();
  await page.keyboard.press('ArrowDown');
  await page.keyboard.type('TB6612FNG');
  await page.keyboard.press('Enter');
  await expect(wiring.row('13 AIN2')).toBeVisible();
  await wiring.goTo('In2 (b)').focus();
  await expect(wiring.wire('b')).toHaveClass(/lit/);
  await page.keyboard.press('Enter');
  await expect(form.pick('In2 (b)')).toBeFocused();
  await wiring.wire('pwm').click();
  await expect(form.pick('Speed (pwm)')).toBeFocused();
});

test('a driver that is wrong for the style says so, and the right one is one press away', async ({ page }) => {
  const configure = new ConfigurePage(page);
  const form = new ResourceForm(page);
  const wiring = new DriverWiring(page);
  await configure.open('left');
  await wiring.choose('DRV8871');
  await expect(wiring.warnings).toContainText('A DRV8871 has only IN1 and IN2');
  await expect(wiring.row('12 no terminal')).toBeVisible();
  await wiring.shown.getByRole('button', { name: 'Wire it as In1 / In2', exact: true }).click();
  await expect(form.driver('In1 / In2')).toBeChecked();
  await expect(wiring.row('11 IN1')).toBeVisible();
  await expect(wiring.warnings).toBeEmpty();
  await wiring.choose('ESC');
  await expect(wiring.warnings).toContainText('Add a servo of model gpio');
  await expect(wiring.shown.getByRole('button', { name: /^Wire it as/ })).toHaveCount(0);
  await expect(wiring.shown).toContainText('must not feed a computer');
});

test('both enable inputs of a BTS7960 are one pin, and an enable pin has no place on a DRV8871', async ({ page }) => {
  const configure = new ConfigurePage(page);
  const form = new ResourceForm(page);
  const wiring = new DriverWiring(page);
  await configure.open('left');
  await form.chooseDriver('In1 / In2');
  await wiring.choose('BTS7960');
  await expect(wiring.row('5 V R_EN')).toBeVisible();
  await page.locator('form').getByText('More pins').click();
  await form.choice('Enable pin', 'works when high').click();
  await expect(wiring.row('choose a pin R_EN + L_EN')).toBeVisible();
  await form.pick('Enable, works when high (en_high)').fill('36');
  await page.keyboard.press('Tab');
  await expect(wiring.row('36 R_EN + L_EN')).toBeVisible();
  await wiring.choose('DRV8871');
  await expect(wiring.warnings).toContainText('has no free input for Enable, works when high (en_high)');
});

test('the driver board of each motor is kept in this browser, and none is shown for the others', async ({ page }) => {
  const configure = new ConfigurePage(page);
  const wiring = new DriverWiring(page);
  await configure.open('left');
  await wiring.choose('L298N');
  await configure.open('right');
  await expect(wiring.board).toHaveValue('none');
  await expect(wiring.shown).toHaveCount(0);
  await page.reload();
  await configure.open('left');
  await expect(wiring.board).toHaveValue('L298N');
  await expect(wiring.row('11 IN1')).toBeVisible();
});

test('the wiring is accessible in both themes, with forced colours and on a phone', async ({ page }) => {
  test.slow();
  const configure = new ConfigurePage(page);
  const form = new ResourceForm(page);
  const wiring = new DriverWiring(page);
  await configure.open('left');
  await wiring.choose('L298N');
  await form.pick('Speed (pwm)').focus();
  await wiring.shown.scrollIntoViewIfNeeded();
  await checkLook(page, 'driver-wiring');
  await wiring.choose('DRV8871');
  await wiring.shown.scrollIntoViewIfNeeded();
  await checkLook(page, 'driver-wiring-wrong');
  await wiring.choose('TB6612FNG');
  await form.pick('Speed (pwm)').focus();
  for (const width of [1024, 390]) {
    await page.setViewportSize({ width, height: 844 });
    await wiring.shown.scrollIntoViewIfNeeded();
    await checkAccess(page, 'body', `wiring at ${width}`);
    await keepPicture(page, `driver-wiring-${width}`);
  }
  await page.setViewportSize({ width: 1440, height: 900 });
  await page.emulateMedia({ forcedColors: 'active', reducedMotion: 'reduce' });
  await wiring.shown.scrollIntoViewIfNeeded();
  await keepPicture(page, 'driver-wiring-forced');
});
