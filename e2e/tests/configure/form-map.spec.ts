import { expect, test } from '../../fixtures/machine-test.ts';
import { ConfigurePage } from '../../page-objects/configure.ts';
import { checkLook } from '../../page-objects/look.ts';

const config = JSON.stringify({
  network: { bind_address: 'localhost:0' },
  services: [
    { name: 'net', api: 'rdk:service:mlmodel', model: 'onnx_cpu', attributes: { model_path: '/none.onnx' } },
    {
      name: 'eyes',
      api: 'rdk:service:vision',
      model: 'mlmodel',
      attributes: { mlmodel_name: 'net', label_confidences: { nut: 0.5 } },
    },
  ],
});

test.use({ config });

test('names with texts and with numbers are written by the keyboard alone', async ({ page }) => {
  const configure = new ConfigurePage(page);
  await configure.open('eyes');
  const outputs = configure.form.getByRole('group', { name: 'Output names', exact: true });
  await outputs.getByRole('button', { name: 'Add' }).focus();
  await page.keyboard.press('Enter');
  await expect(outputs.getByRole('textbox', { name: 'Output names, name 1' })).toBeFocused();
  await page.keyboard.press('Enter');
  await expect(outputs).toContainText('Enter a name. Not in the draft yet.');
  await page.keyboard.type('boxes');
  await page.keyboard.press('Enter');
  await expect(outputs.getByRole('textbox', { name: 'Output names of boxes' })).toBeFocused();
  await page.keyboard.type('location');
  await page.keyboard.press('Enter');
  await expect(outputs.getByRole('textbox', { name: 'Output names, name 2' })).toBeFocused();
  await page.keyboard.type('boxes');
  await page.keyboard.press('Enter');
  await expect(outputs).toContainText('This name is already used. Not in the draft yet.');
  await page.keyboard.press('ControlOrMeta+a');
  await page.keyboard.type('scores');
  await page.keyboard.press('Enter');
  await page.keyboard.type('score');

  const confidences = configure.form.getByRole('group', { name: 'Confidences by label', exact: true });
  const nut = confidences.getByRole('textbox', { name: 'Confidences by label of nut' });
  await nut.fill('1.5');
  await expect(confidences).toContainText('1.5');
  await nut.fill('much');
  await expect(confidences).toContainText('much');
  await nut.fill('0.7');
  await confidences.getByRole('textbox', { name: 'Confidences by label, name 1' }).fill('bolt');
  await page.keyboard.press('Enter');

  await configure.openText();
  await expect(configure.editor).toContainText(/"boxes": ?"location"/);
  await expect(configure.editor).toContainText(/"scores": ?"score"/);
  await expect(configure.editor).toContainText(/"bolt": ?0.7/);
  await configure.showView('Form');
  await outputs.getByRole('button', { name: 'Remove boxes from Output names' }).press('Enter');
  await expect(outputs.getByRole('listitem')).toHaveCount(1);
  await outputs.getByRole('button', { name: 'Remove scores from Output names' }).press('Enter');
  await expect(outputs.getByRole('button', { name: 'Add' })).toBeFocused();
});

test('a name that is being typed stays, whatever comes meanwhile', async ({ page, machine }) => {
  const configure = new ConfigurePage(page);
  await configure.open('eyes');
  const outputs = configure.form.getByRole('group', { name: 'Output names', exact: true });
  await outputs.getByRole('button', { name: 'Add' }).press('Enter');
  const first = outputs.getByRole('textbox', { name: 'Output names, name 1' });
  await expect(first).toBeFocused();
  await page.keyboard.type('box');
  await machine.writeConfig(config.replace('"nut":0.5', '"nut":0.6'));
  await expect(configure.form.getByRole('textbox', { name: 'Confidences by label of nut' })).toHaveValue('0.6');
  await page.keyboard.type('es');
  await expect(first).toHaveValue('boxes');
  await expect(outputs).not.toContainText('Not in the draft yet');
  await page.keyboard.press('Enter');
  await expect(outputs.getByRole('textbox', { name: 'Output names of boxes' })).toBeFocused();
});

test('a list of numbers begins with what is usual, keeps what is no number out, and is taken away', async ({
  page,
}) => {
  const configure = new ConfigurePage(page);
  await configure.open('eyes');
  const mean = configure.form.getByRole('group', { name: 'Mean', exact: true });
  await mean.getByRole('button', { name: 'Add' }).press('Enter');
  const first = mean.getByRole('textbox', { name: 'Mean 1' });
  await expect(first).toBeFocused();
  await expect(first).toHaveValue('0.5');
  await first.fill('0,485');
  await mean.getByRole('textbox', { name: 'Mean 2' }).fill('half');
  await expect(mean).toContainText('half');
  const order = configure.form.getByRole('group', { name: 'Order of box sides', exact: true });
  await order.getByRole('button', { name: 'Add' }).press('Enter');
  await order.getByRole('textbox', { name: 'Order of box sides 1' }).fill('7');
  await expect(order).toContainText('7');
  await checkLook(page, 'configure-maps');
  await order.getByRole('button', { name: 'Remove Order of box sides' }).press('Enter');
  await expect(order.getByRole('textbox')).toHaveCount(0);
  await configure.openText();
  await expect(configure.editor).toContainText('0.485');
  await expect(configure.editor).not.toContainText('xmin_ymin');
});
