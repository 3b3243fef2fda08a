import { expect, test } from '../../fixtures/modules-test.ts';
import { publishAll } from '../../fixtures/published.ts';
import { ConfigurePage } from '../../page-objects/configure.ts';
import { ResourceForm } from '../../page-objects/resource-form.ts';

test('a model of a running module is added beside built-in ones; its module says what is wrong as it is typed', async ({
  page,
}) => {
  const configure = new ConfigurePage(page);
  await expect(configure.resource('hoist')).toContainText('ready');
  await configure.addButton.click();
  const { search, dialog, chosen } = configure.addDialog;
  await search.fill('thermometer');
  await expect(chosen).toContainText('acme:test:thermometer');
  await expect(chosen).toContainText('module acme_test');
  await expect(dialog).toContainText('A model of module acme_test, which runs here.');
  await page.keyboard.press('Enter');
  await expect(configure.heading('sensor-1')).toBeVisible();
  await expect(configure.form).toContainText('pin');
  await expect(configure.problems).toContainText('1 error');
  await new ResourceForm(page).json('Attributes').fill('{ "pin": "taken" }');
  await expect(configure.form).toContainText('another program uses it');
  await new ResourceForm(page).json('Attributes').fill('{ "pin": "8" }');
  await expect(configure.problems).toContainText('No problems.');
});

test('a model of the registry brings its module, as one step', async ({ page, publisher }) => {
  await publishAll(publisher);
  const configure = new ConfigurePage(page);
  await configure.addButton.click();
  await configure.addDialog.search.fill('bme280');
  await expect(configure.addDialog.chosen).toContainText('adds module acme:climate');
  await page.keyboard.press('Enter');
  await expect(configure.heading('sensor-1')).toBeVisible();
  await expect(configure.resource('acme_climate')).toContainText('acme:climate latest');
  await configure.undoButton.click();
  await expect(configure.resource('acme_climate')).toBeHidden();
  await expect(configure.resource('sensor-1')).toBeHidden();
});

test('a module of the registry and a local one are added by name, as the convention has it', async ({
  page,
  publisher,
  module,
}) => {
  await publishAll(publisher);
  const configure = new ConfigurePage(page);
  const { search, name, dialog, chosen } = configure.addDialog;
  await configure.addButton.click();
  await search.fill('humidity');
  // Its model is found as well, and stands before it.
  await expect(chosen).toContainText('acme:climate:bme280');
  await page.keyboard.press('ArrowDown');
  await expect(name).toHaveValue('acme_climate');
  await page.keyboard.press('Enter');
  await expect(configure.heading('acme_climate')).toBeVisible();
  await configure.addButton.click();
  await search.fill('local');
  await expect(chosen).toContainText('Local module');
  await dialog.getByRole('textbox', { name: 'Program' }).fill(module.program);
  await dialog.getByRole('textbox', { name: 'Module id' }).fill('acme:second');
  await expect(name).toHaveValue('acme_second');
  await page.keyboard.press('Enter');
  await expect(configure.heading('acme_second')).toBeVisible();
  await expect(new ResourceForm(page).field('Program')).toHaveValue(module.program);
});

test('deleting a module names what lives in it and waits then', async ({ page }) => {
  const configure = new ConfigurePage(page);
  await configure.open('acme_test');
  await configure.choose('Delete');
  const dialog = configure.dialog('Delete acme_test?');
  await expect(dialog).toContainText('hoist and probe are served by it and will wait for it.');
  await dialog.getByRole('button', { name: 'Delete' }).click();
  await expect(configure.resource('acme_test')).toContainText('removed');
});
