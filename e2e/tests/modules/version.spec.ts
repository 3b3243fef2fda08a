import { expect, test } from '../../fixtures/modules-test.ts';
import { motors, publishAll } from '../../fixtures/published.ts';
import { ConfigurePage } from '../../page-objects/configure.ts';
import { ModuleCard } from '../../page-objects/module-card.ts';
import { RegistryPage } from '../../page-objects/registry.ts';

test('the version is one of five strategies, each with what it would run now', async ({ page, publisher }) => {
  await publishAll(publisher);
  const configure = new ConfigurePage(page);
  const card = new ModuleCard(page);
  const registry = new RegistryPage(page);
  await registry.open();
  await registry.row('motors').click();
  await registry.addButton.click();
  await expect(card.strategy('Newest release')).toBeChecked();
  await expect(card.line('Newest release')).toContainText('would run 2.0.0 now');
  await expect(card.line('Newest of all')).toContainText('would run 2.1.0-rc.1 now');
  // By the keys: a radio button takes arrows.
  await card.strategy('Newest release').focus();
  await page.keyboard.press('ArrowUp');
  await expect(card.strategy('New features too')).toBeChecked();
  await expect(card.line('New features too')).toContainText('2.*');
  await card.strategy('Exactly this version').check();
  await expect(page.getByText('It stays on 2.0.0 until you choose another one.')).toBeVisible();
  await card.exactVersion.click();
  await expect(page.getByRole('option', { name: /^1\.3\.0.*yanked/ })).toBeVisible();
  await page.getByRole('option', { name: /^1\.2\.3/ }).click();
  await expect(card.line('Fixes only')).toContainText('1.2.*');
  await expect(card.line('Fixes only')).toContainText('would run 1.2.4 now');
  // Yanked: no channel leads to it.
  await expect(card.line('New features too')).toContainText('would run 1.2.4 now');
  await card.strategy('Fixes only').check();
  await publisher.publish(motors, '1.2.5');
  await expect(card.line('Fixes only')).toContainText('would run 1.2.5 now');
  await configure.openText();
  await expect(configure.editor).toContainText('"version": "1.2.*"');
});

test('a version that nobody published says so at its strategy', async ({ page, publisher }) => {
  await publishAll(publisher);
  const configure = new ConfigurePage(page);
  const card = new ModuleCard(page);
  await configure.openText();
  const text = '{ "modules": [{ "name": "m", "type": "registry", "module_id": "acme:motors", "version": "3.*" }] }';
  await configure.replaceText(text);
  await configure.showView('Form');
  await configure.open('m');
  await expect(card.strategy('New features too')).toBeChecked();
  await expect(card.line('New features too')).toContainText('no matching version');
});
