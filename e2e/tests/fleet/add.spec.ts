import { expect, test } from '../../fixtures/fleet-test.ts';
import { startServer } from '../../harness/server-process.ts';
import { FleetPage } from '../../page-objects/fleet.ts';
import { Shell } from '../../page-objects/shell.ts';

test('a machine is added with a new location, its block makes a real one of it, and the page sees it come', async ({
  page,
}) => {
  test.slow();
  const machines = new FleetPage(page);
  await machines.open();
  await page.getByRole('button', { name: 'Add a machine' }).click();
  await machines.dialog.getByRole('button', { name: 'Add', exact: true }).click();
  await expect(machines.dialog.getByText('Give the machine a name.')).toBeVisible();
  await machines.dialog.getByRole('textbox', { name: 'Name' }).fill('saw');
  const location = machines.dialog.getByRole('combobox', { name: 'Location' });
  await location.fill('Hall 3');
  await location.press('Enter');
  await expect(machines.dialog.getByText('The location “Hall 3” will be created.')).toBeVisible();
  await machines.dialog.getByRole('button', { name: 'Add', exact: true }).click();
  await expect(machines.dialog.getByText('Waiting for saw to come online.')).toBeVisible();
  await expect(machines.dialog.getByText('only on the hub’s own computer')).toBeVisible();

  const { cloud } = await machines.cloudBlock();
  await expect(machines.row('saw')).toContainText('awaiting setup');
  const config = JSON.stringify({ cloud, network: { bind_address: 'localhost:0' } });
  const saw = await startServer({ config });
  try {
    await expect(machines.dialog.getByText(/^saw is online:/)).toBeVisible({ timeout: 20_000 });
    await machines.dialog.getByRole('button', { name: 'Open saw' }).click();
    await expect(new Shell(page).machine).toContainText('Hall 3');
    await expect(new Shell(page).machine).toContainText('saw');
    await expect(page.getByText('Its configuration has no resources yet.')).toBeVisible();

    // The key is not shown again: a new one is created.
    await machines.open();
    await machines.choose('saw', 'Show its setup');
    await expect(machines.dialog).not.toContainText(cloud.api_key.key);
    await machines.dialog.getByRole('button', { name: 'Create a key' }).click();
    await expect(machines.dialog.getByRole('group', { name: 'Configuration of the machine' })).toBeVisible();
    expect((await machines.cloudBlock()).cloud.api_key.key).not.toBe(cloud.api_key.key);
  } finally {
    await saw.stop();
  }
});
