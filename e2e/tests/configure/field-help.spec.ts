import { expect, test } from '../../fixtures/machine-test.ts';
import { windowBench } from '../../fixtures/window-bench.ts';
import { ConfigurePage } from '../../page-objects/configure.ts';
import { FieldHelp } from '../../page-objects/field-help.ts';
import { checkAccess, checkLook, keepPicture } from '../../page-objects/look.ts';
import { ResourceForm } from '../../page-objects/resource-form.ts';

test.use({ config: windowBench });

test('by keys alone: the help of a field, its example, what there is to read, and back to the field', async ({
  page,
}) => {
  const configure = new ConfigurePage(page);
  const form = new ResourceForm(page);
  const help = new FieldHelp(page);
  await configure.open('right');
  const field = form.field('Max speed, no load');
  await field.focus();
  await page.keyboard.press('F1');
  await expect(form.around('Max speed, no load')).toContainText('whole number, 0 or more');
  await expect(field).toBeFocused();
  await page.keyboard.press('Tab');
  await expect(help.example('Max speed, no load')).toBeFocused();
  await page.keyboard.press('Enter');
  await expect(field).toBeFocused();
  await expect(field).toHaveValue('100');
  await expect(configure.bar).toContainText('right');
  await page.keyboard.press('Tab');
  await page.keyboard.press('Tab');
  await expect(help.readMore('Max speed, no load')).toBeFocused();
  await page.keyboard.press('Enter');
  await expect(help.pane('DC motor on GPIO pins')).toBeVisible();
  await expect(page).toHaveURL(/#\/help\/gpio-motor\/max_rpm$/);
  await expect(help.heading('Max speed, no load max_rpm')).toBeFocused();
  // The form stays beside it, with what was written.
  await expect(field).toHaveValue('100');
  await page.keyboard.press('Escape');
  await expect(help.pane('DC motor on GPIO pins')).toBeHidden();
  await expect(field).toBeFocused();
  await expect(page).toHaveURL(/#\/configure\/resource\/right$/);
});

test('Back leaves the help for the field, and F1 on its example closes the help of the field', async ({ page }) => {
  const configure = new ConfigurePage(page);
  const form = new ResourceForm(page);
  const help = new FieldHelp(page);
  await configure.open('right');
  await form.pick('Direction (dir)').focus();
  await page.keyboard.press('F1');
  await help.readMore('Direction (dir)').click();
  await expect(help.heading('Direction (dir) pins.dir')).toBeFocused();
  await page.goBack();
  await expect(form.pick('Direction (dir)')).toBeFocused();
  await help.example('Direction (dir)').focus();
  await page.keyboard.press('F1');
  await expect(help.readMore('Direction (dir)')).toBeHidden();
  await expect(form.pick('Direction (dir)')).toBeFocused();
});

test('F1 in a group of fields opens what there is to read about it, and leads back to it', async ({ page }) => {
  const configure = new ConfigurePage(page);
  const form = new ResourceForm(page);
  const help = new FieldHelp(page);
  await configure.open('right');
  await form.driver('PWM / DIR').focus();
  await page.keyboard.press('F1');
  await expect(help.heading('How the driver is wired pins required')).toBeFocused();
  await page.keyboard.press('Tab');
  await help.closeButton.click();
  await expect(form.driver('PWM / DIR')).toBeFocused();
});

test('the example of a name is one that exists', async ({ page }) => {
  const configure = new ConfigurePage(page);
  const form = new ResourceForm(page);
  const help = new FieldHelp(page);
  await configure.open('right');
  await form.pick('Encoder').focus();
  await page.keyboard.press('F1');
  await help.example('Encoder').click();
  await expect(form.pick('Encoder')).toHaveValue('wheel');
});

test('a page has an address of its own, an example to copy, and a way to the others', async ({ page }) => {
  const help = new FieldHelp(page);
  await page.evaluate(`location.hash = '#/help/gpio-servo/min_width_us'`);
  const pane = help.pane('Servo on a GPIO pin');
  await expect(help.heading('Shortest pulse min_width_us')).toBeFocused();
  await expect(pane.getByRole('group', { name: 'Example', exact: true })).toContainText('"model": "gpio"');
  await pane.getByText('All models').click();
  await pane.getByRole('link', { name: 'Fake board' }).click();
  await expect(help.pane('Fake board').getByRole('heading', { level: 2 })).toBeFocused();
  await page.evaluate(`location.hash = '#/help/nothing'`);
  await expect(help.pane('No such page')).toContainText('Choose a model below.');
  await help.closeButton.click();
  await expect(page).toHaveURL(/#\/configure$/);
});

test('field and page of help are accessible in both themes, with forced colours and on a phone', async ({ page }) => {
  test.slow();
  const configure = new ConfigurePage(page);
  const form = new ResourceForm(page);
  const help = new FieldHelp(page);
  await configure.open('left');
  await form.field('PWM frequency').focus();
  await page.keyboard.press('F1');
  await checkLook(page, 'help-field');
  await help.readMore('PWM frequency').click();
  await expect(help.heading('PWM frequency pwm_freq')).toBeInViewport();
  await checkLook(page, 'help-page');
  await page.setViewportSize({ width: 390, height: 844 });
  await expect(help.heading('PWM frequency pwm_freq')).toBeVisible();
  await checkAccess(page, 'body', 'help on a phone');
  await keepPicture(page, 'help-page-phone');
  await help.closeButton.click();
  await expect(form.field('PWM frequency')).toBeFocused();
  await keepPicture(page, 'help-field-phone');
  await page.setViewportSize({ width: 1440, height: 900 });
  await page.emulateMedia({ forcedColors: 'active', reducedMotion: 'reduce' });
  await keepPicture(page, 'help-forced');
});
