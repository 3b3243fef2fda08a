import { expect, test } from '../../fixtures/fleet-test.ts';
import { HubClient } from '../../harness/hub-process.ts';
import { webRequest } from '../../harness/web-call.ts';
import { SettingsPage } from '../../page-objects/settings.ts';
import { Shell } from '../../page-objects/shell.ts';

test('a key is shown once and nowhere after that; made for one place, rotated and revoked at once', async ({
  page,
  fleet,
}) => {
  test.slow();
  await fleet.addLocation('Lab 2');
  const settings = new SettingsPage(page);
  await new Shell(page).open('Settings');
  await settings.keys.getByRole('button', { name: 'New key' }).click();
  await settings.dialog.getByRole('button', { name: 'Create', exact: true }).click();
  await expect(settings.dialog.getByText('Give the key a name')).toBeVisible();
  await settings.dialog.getByRole('textbox', { name: 'Name' }).fill('data export');
  const where = settings.dialog.getByRole('combobox', { name: 'Where' });
  await where.fill('Lab');
  await where.press('Enter');
  await expect(
    settings.dialog.getByText('This key may move and read machines in Lab 2, and change nothing.'),
  ).toBeVisible();
  await settings.dialog.getByRole('button', { name: 'Create', exact: true }).click();
  const first = await settings.secret();
  await settings.dialog.getByRole('button', { name: 'I have it' }).click();
  await expect(settings.key('data export')).toContainText('may move and read machines in Lab 2, and change nothing');
  await expect(page.locator('body')).not.toContainText(first);
  const id = (await fleet.call('listKeys', { orgId: await fleet.organizationId() })).apiKeys.find(
    ({ apiKey }) => apiKey?.name === 'data export',
  )?.apiKey?.id;
  const works = async (secret: string): Promise<boolean> => {
    try {
      (await HubClient.logIn(fleet.station.url, { id: id ?? '', secret })).close();
      return true;
    } catch {
      return false;
    }
  };
  expect(await works(first)).toBe(true);

  await settings.choose('data export', 'Rotate');
  await settings.dialog.getByRole('button', { name: 'Rotate', exact: true }).click();
  await expect(settings.dialog.getByText('This key is shown only once')).toBeVisible();
  const second = await settings.secret();
  await settings.dialog.getByRole('button', { name: 'I have it' }).click();
  expect(await works(first)).toBe(false);
  expect(await works(second)).toBe(true);

  await settings.choose('data export', 'Revoke');
  await settings.dialog.getByRole('button', { name: 'Revoke', exact: true }).click();
  await expect(settings.key('data export')).toHaveCount(0);
  expect(await works(second)).toBe(false);

  // What was turned away is counted where an owner looks.
  const { status } = await webRequest(fleet.station.url, 'GET', {
    host: new URL(fleet.station.url).host,
    origin: 'https://elsewhere.example',
  });
  expect(status).toBe(403);
  await page.reload();
  await expect(page.getByText('1 time from a web page of another site')).toBeVisible();
});
