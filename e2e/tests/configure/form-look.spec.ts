import { expect, test } from '../../fixtures/machine-test.ts';
import { windowBench } from '../../fixtures/window-bench.ts';
import { ConfigurePage } from '../../page-objects/configure.ts';
import { checkLook } from '../../page-objects/look.ts';
import { ResourceForm } from '../../page-objects/resource-form.ts';

test.use({ config: windowBench });

test('the form of a motor is accessible in both themes, with changes and problems', async ({ page }) => {
  const configure = new ConfigurePage(page);
  const form = new ResourceForm(page);
  await configure.open('left');
  await form.field('PWM frequency').fill('12a');
  await form.field('Highest power').fill('0.03');
  await expect(configure.resource('left')).toContainText('1 problem');
  await checkLook(page, 'form-motor');
});

test('the form of a board, with cards, is accessible in both themes', async ({ page }) => {
  const configure = new ConfigurePage(page);
  const form = new ResourceForm(page);
  await configure.open('bench');
  await form.button('Add analog').click();
  await expect(form.button('Remove Analog 2')).toBeVisible();
  await checkLook(page, 'form-board');
});

test('the settings of the machine are accessible in both themes', async ({ page }) => {
  await page.evaluate(`location.hash = '#/configure/machine'`);
  const form = new ResourceForm(page);
  await expect(form.field('Address to listen on')).toHaveValue('localhost:0');
  await form.button('Add log level by pattern').click();
  await checkLook(page, 'form-machine');
});
