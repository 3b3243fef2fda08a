import { expect, test } from '../../fixtures/modules-test.ts';
import { publishAll } from '../../fixtures/published.ts';
import { ConfigurePage } from '../../page-objects/configure.ts';
import { RegistryPage } from '../../page-objects/registry.ts';

test('from the form of a model of a module, there is a way to what its author says of it', async ({
  page,
  publisher,
}) => {
  await publishAll(publisher);
  const configure = new ConfigurePage(page);
  await configure.addButton.click();
  await configure.addDialog.search.fill('bme280');
  await expect(configure.addDialog.chosen).toContainText('adds module acme:climate');
  await page.keyboard.press('Enter');
  await expect(configure.heading('sensor-1')).toBeVisible();
  await configure.form.getByRole('link', { name: 'What its author says of it' }).click();
  await expect(new RegistryPage(page).pane('acme:climate')).toContainText('acme:climate:bme280');
});
