import { expect, test } from '../../fixtures/machine-test.ts';
import { ApplyBar } from '../../page-objects/apply-bar.ts';
import { ConfigurePage } from '../../page-objects/configure.ts';
import { ControlPage } from '../../page-objects/control.ts';
import { Hands } from '../../page-objects/hands.ts';
import { ResourceForm } from '../../page-objects/resource-form.ts';
import { Shell } from '../../page-objects/shell.ts';

test.use({ config: '{ "network": { "bind_address": "localhost:0" } }\n' });

/** From an empty machine to the first turn of a motor. */
const MOST_KEYS = 60;
const MOST_CLICKS = 20;

test(
  'from an empty machine to the first turn with the keyboard alone: at most 60 keys, and the focus is never lost',
  { tag: '@smoke' },
  async ({ page }) => {
    const shell = new Shell(page);
    const configure = new ConfigurePage(page);
    const form = new ResourceForm(page);
    const hands = await Hands.of(page);

    await expect(page.getByRole('button', { name: 'Add the first one' })).toBeFocused();
    await hands.press('Enter');
    await expect(configure.addDialog.search).toBeFocused();
    await hands.type('motor');
    await hands.tabTo(page.getByRole('button', { name: 'Add one board first' }));
    await hands.press('Enter');
    await expect(configure.addDialog.chosen).toContainText('A board without hardware');
    await hands.press('Enter');
    await expect(configure.addDialog.dialog).toContainText('Added board-1.');
    await hands.press('Enter');

    await expect(configure.maxSpeed).toBeFocused();
    await hands.type('120');
    await hands.tabTo(form.driver('PWM / DIR'));
    await hands.press('Space');
    await hands.tabTo(form.field('Speed (pwm)'));
    await hands.type('15');
    await hands.tabTo(form.field('Direction (dir)'));
    await hands.type('16');
    await hands.press('Control+s');
    await expect(shell.machine).toContainText('2 of 2 ready');

    await hands.press('Control+2');
    const control = new ControlPage(page);
    const motor = control.motor('motor-1');
    await expect(motor.state).toHaveText('still');
    await hands.tabTo(control.enableSwitch);
    await hands.press('Space');
    await hands.tabTo(motor.forward, 25);
    await page.keyboard.down('Space');
    await expect(motor.state).toHaveText('moving');
    await page.keyboard.up('Space');
    await expect(motor.state).toHaveText('still');

    const { keys, clicks } = await hands.counts();
    expect(clicks).toBe(0);
    expect(keys).toBeLessThanOrEqual(MOST_KEYS);
  },
);

test('the same with the mouse: at most 20 clicks', async ({ page }) => {
  const shell = new Shell(page);
  const configure = new ConfigurePage(page);
  const form = new ResourceForm(page);
  const hands = await Hands.of(page);

  await page.getByRole('button', { name: 'Add the first one' }).click();
  await hands.type('motor');
  await page.getByRole('button', { name: 'Add one board first' }).click();
  await page.getByRole('button', { name: 'Add board-1' }).click();
  await page.getByRole('button', { name: 'Add motor-1' }).click();
  await configure.maxSpeed.click();
  await hands.type('120');
  await form.driver('PWM / DIR').click();
  await form.field('Speed (pwm)').click();
  await hands.type('15');
  await form.field('Direction (dir)').click();
  await hands.type('16');
  await new ApplyBar(page).applyButton.click();
  await expect(shell.machine).toContainText('2 of 2 ready');
  await shell.open('Control');
  const motor = await turnOnce(new ControlPage(page), 'motor-1');
  await expect(motor.state).toHaveText('still');
  expect((await hands.counts()).clicks).toBeLessThanOrEqual(MOST_CLICKS);
});

test('the demo bench turns after five clicks', async ({ page }) => {
  const hands = await Hands.of(page);
  await page.getByRole('button', { name: 'Add the demo bench' }).click();
  await new ApplyBar(page).applyButton.click();
  await expect(new Shell(page).machine).toContainText('4 of 4 ready');
  await new Shell(page).open('Control');
  await turnOnce(new ControlPage(page), 'wheel');
  expect((await hands.counts()).clicks).toBe(5);
});

test('a form offers what it needs, and what is missing is an error only after the field was left', async ({ page }) => {
  const configure = new ConfigurePage(page);
  const form = new ResourceForm(page);
  await configure.addButton.click();
  await configure.addDialog.choose('motor', 'gpio');
  await page.getByRole('button', { name: 'Add motor-1' }).click();
  await expect(form.around('Board')).toContainText('required');
  await expect(configure.resource('motor-1')).toContainText('unfinished');
  await expect(configure.bar).toContainText('Still needed: Board');
  await expect(page.locator('.bad-text')).toHaveCount(0);

  await form.pick('Board').focus();
  await page.keyboard.press('Tab');
  await expect(form.button('New board')).toBeFocused();
  await expect(page.locator('.bad-text')).toHaveCount(0);
  await page.keyboard.press('Tab');
  await expect(form.around('Board')).toContainText('choose one');
  await form.button('New board').click();
  await expect(configure.addDialog.chosen).toContainText('A board without hardware');
  await page.keyboard.press('Enter');
  await expect(configure.heading('motor-1')).toBeVisible();
  await expect(form.pick('Board')).toHaveValue('board-1');
  await expect(form.pick('Board')).toBeFocused();

  await page.keyboard.press('Control+s');
  await expect(form.around('Max speed, no load')).toContainText('enter the speed at full power');
});

/** Enables control and holds Forward until the motor moves. */
async function turnOnce(control: ControlPage, name: string) {
  const motor = control.motor(name);
  await expect(motor.state).toHaveText('still');
  await control.enable();
  await motor.forward.hover();
  await control.page.mouse.down();
  await expect(motor.state).toHaveText('moving');
  await control.page.mouse.up();
  return motor;
}
