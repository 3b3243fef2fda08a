import { expect, test } from '../../fixtures/machine-test.ts';
import { windowBench } from '../../fixtures/window-bench.ts';
import { ConfigurePage } from '../../page-objects/configure.ts';
import { ResourceForm } from '../../page-objects/resource-form.ts';

test.use({ config: windowBench });

test('what is no number is kept as it was typed, said, and never written', async ({ page }) => {
  const configure = new ConfigurePage(page);
  const form = new ResourceForm(page);
  await configure.open('right');
  await form.field('Max speed, no load').fill('12a');
  await expect(form.around('Max speed, no load')).toContainText('“12a” is not a number.');
  await expect(form.around('Max speed, no load')).toContainText('Not in the draft yet: it keeps 120.');
  await expect(configure.bar).toContainText('Everything is applied');
  await configure.open('climate');
  await configure.open('right');
  await expect(form.field('Max speed, no load')).toHaveValue('12a');
  await form.field('Max speed, no load').fill('125');
  await expect(form.around('Max speed, no load')).toContainText('was 120 · applied without stopping');
  await expect(configure.bar).toContainText('max_rpm 120 to 125');
});

test('an emptied field shows the default again, and is gone from the text', async ({ page }) => {
  const configure = new ConfigurePage(page);
  const form = new ResourceForm(page);
  await configure.open('right');
  await expect(form.field('PWM frequency')).toHaveAttribute('placeholder', 'default 800');
  await form.field('PWM frequency').fill('1200');
  await expect(configure.bar).toContainText('pwm_freq');
  await form.field('PWM frequency').fill('');
  await expect(configure.bar).toContainText('Everything is applied');
});

test('arrow keys step within the limits', async ({ page }) => {
  const configure = new ConfigurePage(page);
  const form = new ResourceForm(page);
  await configure.open('right');
  const lowest = form.field('Lowest power');
  await lowest.press('ArrowUp');
  await expect(lowest).toHaveValue('0.01');
  await lowest.press('PageUp');
  await expect(lowest).toHaveValue('0.11');
  await lowest.press('PageDown');
  await lowest.press('PageDown');
  await expect(lowest).toHaveValue('0');
});
