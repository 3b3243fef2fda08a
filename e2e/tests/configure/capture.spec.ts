import { expect, test } from '../../fixtures/machine-test.ts';
import { ApplyBar } from '../../page-objects/apply-bar.ts';
import { ConfigurePage } from '../../page-objects/configure.ts';
import { ControlPage } from '../../page-objects/control.ts';
import { checkLook } from '../../page-objects/look.ts';
import { ResourceForm } from '../../page-objects/resource-form.ts';

test.use({
  config: JSON.stringify({
    network: { bind_address: 'localhost:0' },
    components: [{ name: 'climate', api: 'core:component:sensor', model: 'fake', attributes: {} }],
  }),
});

test('capture is chosen in the form of a sensor, with the keyboard alone, and what is captured is counted', async ({
  page,
  machine,
}) => {
  const configure = new ConfigurePage(page);
  const form = new ResourceForm(page);
  const apply = new ApplyBar(page);
  await configure.open('climate');
  await form.button('Capture data').focus();
  await page.keyboard.press('Enter');
  await expect(form.field('Frequency')).toHaveValue('1');
  await form.field('Frequency').focus();
  await page.keyboard.press('ControlOrMeta+a');
  await page.keyboard.type('20');
  await expect(configure.form).toContainText('Nothing is captured until the machine has a data manager.');
  await checkLook(page, 'form-capture');
  await form.button('Add a data manager').focus();
  await page.keyboard.press('Enter');
  await expect(form.button('Add a data manager')).toBeHidden();
  await expect(configure.resource('data_manager')).toBeVisible();
  await apply.applyButton.click();
  await expect(apply.bar).toContainText('Applied.');

  await page.goto(`${machine.url}/#/control`);
  const card = new ControlPage(page).card('data_manager');
  await expect(card.getByRole('row', { name: /climate\s+Readings\s+20 Hz\s+\d+/ })).toBeVisible();
  await card.getByRole('button', { name: 'Sync now' }).click();
  await expect(card.getByRole('status')).toContainText('Uploaded in');
  await expect(card).toContainText(/uploads\s*[1-9]/);
  await checkLook(page, 'card-data-manager');
});
