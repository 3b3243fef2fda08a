import { expect, test } from '../../fixtures/fleet-test.ts';
import { FleetPage } from '../../page-objects/fleet.ts';
import { checkLook } from '../../page-objects/look.ts';
import { SettingsPage } from '../../page-objects/settings.ts';
import { Shell } from '../../page-objects/shell.ts';

const broken = `{ "components": [
  { "name": "bench", "api": "core:component:board", "model": "fake", "attributes": { "fail_new": true } },
  { "name": "m", "api": "core:component:motor", "model": "fake", "attributes": {} } ] }`;

test('machines, overview and settings are accessible in both themes', async ({ page, fleet }) => {
  test.setTimeout(480_000);
  const machines = new FleetPage(page);
  await machines.open();
  await expect(machines.row('current')).toBeVisible();
  await checkLook(page, 'fleet-alone');

  const lab = await fleet.addLocation('Lab 2');
  const press = await fleet.join('press', lab);
  await fleet.join('oven', lab, broken);
  await fleet.addMachine('bench-04', lab);
  await expect(machines.row('press')).toContainText('ready');
  await press.server.stop();
  await expect(machines.row('oven')).toContainText('failed', { timeout: 20_000 });
  await expect(machines.row('press')).toContainText('offline', { timeout: 20_000 });
  await machines.table.focus();
  await page.keyboard.press('ArrowDown');
  await checkLook(page, 'fleet');
  await page.getByRole('button', { name: 'Add a machine' }).click();
  await checkLook(page, 'fleet-add');
  await machines.dialog.getByRole('textbox', { name: 'Name' }).fill('saw');
  await machines.dialog.getByRole('button', { name: 'Add', exact: true }).click();
  await expect(machines.dialog).toContainText('app_address');
  await checkLook(page, 'fleet-setup');
  await page.keyboard.press('Escape');
  await machines.choose('press', 'Rename');
  await checkLook(page, 'fleet-rename');
  await page.keyboard.press('Escape');
  await machines.choose('press', 'Move to another location');
  await checkLook(page, 'fleet-move');
  await page.keyboard.press('Escape');
  await machines.choose('press', 'Delete');
  await checkLook(page, 'fleet-delete');
  await page.keyboard.press('Escape');
  await page.getByRole('button', { name: 'Locations' }).click();
  await checkLook(page, 'fleet-locations');
  await page.keyboard.press('Escape');
});

test('settings, the overview, and what is left of a machine that is away are accessible in both themes', async ({
  page,
  fleet,
}) => {
  test.setTimeout(480_000);
  const machines = new FleetPage(page);
  const press = await fleet.join('press', await fleet.addLocation('Lab 2'));
  const shell = new Shell(page);
  await shell.open('Settings');
  await expect(page.getByText('Fingerprint, SHA-256')).toBeVisible();
  await checkLook(page, 'settings');
  const settings = new SettingsPage(page);
  await settings.keys.getByRole('button', { name: 'New key' }).click();
  await settings.dialog.getByRole('textbox', { name: 'Name' }).fill('data export');
  await checkLook(page, 'settings-key-new');
  await settings.dialog.getByRole('button', { name: 'Create', exact: true }).click();
  await settings.secret();
  await checkLook(page, 'settings-key-secret');
  await settings.dialog.getByRole('button', { name: 'I have it' }).click();
  await settings.choose('data export', 'Rotate');
  await checkLook(page, 'settings-key-rotate');
  await page.keyboard.press('Escape');
  await shell.open('Overview');
  await expect(page.getByRole('heading', { name: 'Since yesterday' })).toBeVisible();
  await checkLook(page, 'overview');
  await machines.open();
  await expect(machines.row('press')).toContainText('5 of 5 ready');
  await press.server.stop();
  await expect(machines.row('press')).toContainText('offline', { timeout: 20_000 });
  await machines.row('press').click();
  await expect(page.getByText('before it went offline')).toBeVisible();
  await checkLook(page, 'overview-away');
  await shell.open('Logs');
  await checkLook(page, 'logs-away');
  await shell.open('Control');
  await checkLook(page, 'control-away');
  await shell.open('Configure');
  await checkLook(page, 'configure-away');
});
