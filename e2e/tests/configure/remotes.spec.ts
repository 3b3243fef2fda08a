import { expect, test } from '../../fixtures/machine-test.ts';
import { hasMulticast } from '../../harness/multicast.ts';
import { startServer, type ServerProcess } from '../../harness/server-process.ts';
import { ConfigurePage } from '../../page-objects/configure.ts';
import { checkLook } from '../../page-objects/look.ts';
import { RemoteForm } from '../../page-objects/remote-form.ts';
import { ResourceForm } from '../../page-objects/resource-form.ts';

const network = { bind_address: 'localhost:0' };
const motor = (name: string): object => ({
  name,
  api: 'core:component:motor',
  model: 'fake',
  attributes: { max_rpm: 100 },
});

/** Another machine of this computer, which is found by the name that it is given. */
function startOther(): Promise<ServerProcess> {
  const fqdn = `bench-2.p${process.pid}.armature.local`;
  const config = JSON.stringify({ network: { ...network, fqdn }, components: [motor('conveyor'), motor('lift')] });
  return startServer({ config, args: ['-hub=false'] });
}

test.describe('another machine', () => {
  test.use({ config: `${JSON.stringify({ network }, undefined, 2)}\n` });

  test('that is found on the network is added with the keyboard alone, and its resources are here', async ({
    page,
  }) => {
    test.skip(!(await hasMulticast()), 'this computer has no multicast on loopback');
    test.setTimeout(240_000);
    const other = await startOther();
    try {
      const configure = new ConfigurePage(page);
      const remote = new RemoteForm(page);
      const address = `http://127.0.0.1:${other.port}`;
      await configure.addButton.focus();
      await page.keyboard.press('Enter');
      await expect(configure.addDialog.search).toBeFocused();
      await page.keyboard.type('another machine');
      await expect(configure.addDialog.chosen).toContainText('Another machine');
      await page.keyboard.press('Tab');
      await expect(configure.addDialog.address).toBeFocused();
      await page.keyboard.press('ArrowDown');
      await expect(remote.found(address)).toContainText('bench-2 · on this computer');
      await checkLook(page, 'remote-add');
      // Others may be found too.
      await page.keyboard.type(String(other.port));
      await page.keyboard.press('ArrowDown');
      await expect(remote.found(address)).toHaveAttribute('data-highlighted');
      await page.keyboard.press('Enter');
      await expect(configure.addDialog.address).toHaveValue(address);
      await expect(configure.addDialog.name).toHaveValue('bench-2');
      await page.keyboard.press('Enter');
      await expect(configure.heading('bench-2')).toBeVisible();
      await expect(remote.address).toHaveValue(address);
      await expect(configure.problems).toContainText('No problems');
      await configure.reviewButton.focus();
      await page.keyboard.press('Enter');
      await expect(configure.plan).toContainText('added bench-2');
      await configure.plan.getByRole('button', { name: 'Apply', exact: true }).press('Enter');
      await expect(remote.card).toContainText('Connected');
      await expect(remote.card).toContainText('2 of its resources are here.');
      await expect(configure.resource('conveyor')).toContainText('motor · on bench-2');
      await expect(configure.beside.getByRole('link', { name: 'lift' })).toBeVisible();
      await checkLook(page, 'remote-connected');
      await other.stop();
      await expect(remote.card).toContainText('Not reached');
      await expect(remote.card).toContainText('Its resources keep their names here and wait for it.');
      await expect(configure.resource('bench-2')).toContainText('not reached');
      await checkLook(page, 'remote-not-reached');
    } finally {
      await other.stop();
    }
  });
});

test.describe('the form of another machine', () => {
  const text = `{
  "network": { "bind_address": "localhost:0" },
  "remotes": [
    { "name": "second", "address": "http://localhost:1", "reconnect_interval": "1m", "colour": "green" }
  ]
}
`;
  test.use({ config: text, serverArgs: ['-disable-mdns'] });

  test('writes what is changed and nothing else, hides the key, and says what is wrong at its field', async ({
    page,
  }) => {
    test.setTimeout(180_000);
    const configure = new ConfigurePage(page);
    const remote = new RemoteForm(page);
    await configure.open('second');
    await expect(remote.card).toContainText('Not reached');
    await expect(remote.form).toContainText('this server runs with -disable-mdns');
    await remote.keyId.fill('abc');
    await expect(remote.form).toContainText('"credentials" needs "payload", the key itself.');
    await remote.key.fill('very secret');
    await expect(remote.key).toHaveAttribute('type', 'password');
    await remote.showKey.click();
    await expect(remote.key).toHaveAttribute('type', 'text');
    await expect(remote.form).toContainText('The connection is not encrypted.');
    await remote.form.getByRole('combobox', { name: 'Prefix' }).fill('far-');
    await page.keyboard.press('Tab');
    await expect(new ResourceForm(page).otherKeys).toContainText('colour');
    await checkLook(page, 'remote-form');
    await configure.openText();
    await expect(configure.editor).toContainText('"colour": "green"');
    await expect(configure.editor).toContainText('"prefix": "far-"');
    await expect(configure.editor).toContainText('"payload": "very secret"');
    await expect(configure.editor).toContainText('"type": "api-key"');
    await configure.showView('Form');
    await remote.key.fill('');
    await remote.keyId.fill('');
    await configure.openText();
    await expect(configure.editor).not.toContainText('auth');
    await configure.showView('Form');
    await remote.address.fill('https://');
    await page.keyboard.press('Tab');
    await expect(remote.form).toContainText('"https://" is no address');
    await configure.undoButton.click();
    await expect(remote.address).toHaveValue('http://localhost:1');
    await configure.choose('Rename');
    await configure
      .dialog(/^Rename /)
      .getByRole('textbox')
      .fill('third');
    await page.keyboard.press('Enter');
    await expect(configure.heading('third')).toBeVisible();
    await configure.choose('Delete');
    await configure
      .dialog(/^Delete /)
      .getByRole('button', { name: 'Delete' })
      .click();
    await expect(configure.resource('third')).toBeHidden();
  });
});
