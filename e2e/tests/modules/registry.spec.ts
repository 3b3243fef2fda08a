import { expect, test } from '../../fixtures/modules-test.ts';
import { climate, publishAll } from '../../fixtures/published.ts';
import { ConfigurePage } from '../../page-objects/configure.ts';
import { RegistryPage } from '../../page-objects/registry.ts';

test('a module is found by what it is for, read about and added, with the keyboard alone', async ({
  page,
  publisher,
}) => {
  await publishAll(publisher);
  const registry = new RegistryPage(page);
  const configure = new ConfigurePage(page);
  await page.keyboard.press('ControlOrMeta+8');
  await expect(registry.rows).toHaveCount(3);
  await page.keyboard.press('ControlOrMeta+f');
  await expect(registry.search).toBeFocused();
  await page.keyboard.type('no such thing');
  await expect(registry.side).toContainText('Nothing matches “no such thing”.');
  await page.keyboard.press('Escape');
  await expect(registry.search).toHaveValue('');
  // A model, not the name.
  await page.keyboard.type('stepper');
  await expect(registry.rows).toHaveCount(1);
  await page.keyboard.press('ArrowDown');
  await expect(registry.row('motors')).toBeFocused();
  await page.keyboard.press('Enter');
  await expect(registry.pane('acme:motors')).toContainText('Set the address on the drive.');
  await expect(page).toHaveURL(/#\/registry\?search=stepper&module=acme:motors/);
  await registry.addButton.focus();
  await page.keyboard.press('Enter');
  await expect(configure.heading('acme_motors')).toBeVisible();
  await expect(configure.resource('acme_motors')).toContainText('new');
  await configure.openText();
  await expect(configure.editor).toContainText('"module_id": "acme:motors"');
  await expect(configure.editor).toContainText('"version": "latest"');
});

test('links of a README lead outside, pictures are told by their words, and nothing is fetched', async ({
  page,
  publisher,
}) => {
  const elsewhere: string[] = [];
  page.on('request', (request) => {
    if (!request.url().includes('localhost')) elsewhere.push(request.url());
  });
  await publishAll(publisher);
  const registry = new RegistryPage(page);
  await registry.open();
  await registry.row('motors').click();
  const pane = registry.pane('acme:motors');
  await expect(pane.getByRole('link', { name: 'the manual' })).toHaveAttribute('target', '_blank');
  await expect(pane.getByText('the drive', { exact: true })).toBeVisible();
  await expect(pane.getByRole('img')).toHaveCount(0);
  expect(elsewhere).toEqual([]);
});

test('what is published, yanked and put back shows by itself; a version says why it was yanked', async ({
  page,
  publisher,
}) => {
  await publishAll(publisher);
  const registry = new RegistryPage(page);
  await registry.open();
  await registry.row('motors').click();
  await registry.showView('Versions');
  await expect(registry.version('2.0.0')).toContainText('newest');
  await expect(registry.version('2.1.0-rc.1')).toContainText('prerelease');
  await expect(registry.version('1.3.0')).toContainText('Yanked: it lost the address of the drive after a power cut');
  await registry.choose('2.0.0', 'Yank');
  const dialog = page.getByRole('dialog', { name: 'Yank acme:motors 2.0.0?' });
  await dialog.getByRole('button', { name: 'Yank', exact: true }).click();
  await expect(dialog).toContainText('Enter a reason.');
  await dialog.getByRole('textbox', { name: 'Reason' }).fill('the stepper stalls');
  await page.keyboard.press('Enter');
  await expect(registry.version('2.0.0')).toContainText('Yanked: the stepper stalls');
  await expect(registry.version('1.2.4')).toContainText('newest');
  await registry.choose('2.0.0', 'Put back');
  await expect(registry.version('2.0.0')).toContainText('newest');
  await publisher.publish(climate, '0.5.0');
  await expect(registry.row('climate')).toContainText('0.5.0');
});

test('the machine that has a module leads to it', async ({ page, publisher }) => {
  await publisher.create({ name: 'test', description: 'A bench' });
  await publisher.publish({ name: 'test' }, '0.2.0');
  const registry = new RegistryPage(page);
  await registry.open();
  await expect(registry.pane('acme:test')).toContainText('On this machine as acme_test 0.1.0');
  await page.getByRole('button', { name: 'Open acme_test in Configure' }).click();
  await expect(new ConfigurePage(page).heading('acme_test')).toBeVisible();
});
