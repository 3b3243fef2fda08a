import { expect, test } from '../../fixtures/machine-test.ts';
import { ControlPage } from '../../page-objects/control.ts';

test.use({
  config: JSON.stringify({
    network: { bind_address: 'localhost:0' },
    components: [
      { name: 'supply', api: 'rdk:component:power_sensor', model: 'fake', attributes: { volts: 24, amps: 1.5 } },
      {
        name: 'mode',
        api: 'rdk:component:switch',
        model: 'fake',
        attributes: { position_count: 3, labels: ['off', 'slow', 'fast'] },
      },
      { name: 'dial', api: 'rdk:component:switch', model: 'fake', attributes: { position_count: 40 } },
    ],
  }),
});

test('a power sensor shows what it measures', async ({ page, machine }) => {
  await page.goto(`${machine.url}/#/control`);
  const card = new ControlPage(page).card('supply');
  await expect(card).toContainText(/voltage\s*24.00\s*V/);
  await expect(card).toContainText(/current\s*1.500\s*A/);
  await expect(card).toContainText(/power\s*36.00\s*W/);
});

test('a switch is put into a position by a press, and into one of many by its number', async ({ page, machine }) => {
  const control = new ControlPage(page);
  await page.goto(`${machine.url}/#/control`);
  const mode = control.card('mode');
  await expect(mode).toContainText(/position\s*off/);
  await expect(mode.getByRole('button', { name: 'fast' })).toBeDisabled();
  await control.enableSwitch.click();
  await mode.getByRole('button', { name: 'fast' }).click();
  await expect(mode.getByRole('button', { name: 'fast' })).toHaveAttribute('aria-pressed', 'true');
  await expect(mode.getByRole('status')).toContainText('to fast: done in');
  const dial = control.card('dial');
  await dial.getByRole('textbox', { name: 'Position' }).fill('17');
  await page.keyboard.press('Enter');
  await expect(dial).toContainText(/position\s*17/);
});
