import { expect, test } from '../../fixtures/fleet-test.ts';
import { ConfigurePage } from '../../page-objects/configure.ts';
import { FleetPage } from '../../page-objects/fleet.ts';
import { LogsPage } from '../../page-objects/logs.ts';
import { Shell } from '../../page-objects/shell.ts';

test('a machine that is away: since when, what it last said, its log, a configuration for when it is back', async ({
  page,
  fleet,
}) => {
  test.slow();
  const shell = new Shell(page);
  const machines = new FleetPage(page);
  const press = await fleet.join('press', await fleet.addLocation('Lab 2'));
  await machines.open();
  await expect(machines.row('press')).toContainText('5 of 5 ready');
  await machines.row('press').click();
  await expect(shell.machine).toContainText('running');
  await press.server.crash();

  await expect(shell.machine).toContainText(/offline since \d\d:\d\d/, { timeout: 30_000 });
  await expect(page.getByText(/as of \d\d:\d\d, before it went offline/)).toBeVisible();
  await expect(page.getByRole('link', { name: /climate.*ready/ })).toBeVisible();
  await page.reload();
  await expect(page.getByRole('link', { name: /climate.*ready/ })).toBeVisible();

  await shell.open('Control');
  await expect(page.getByText(/press has been offline since .*, so it cannot be moved or read\./)).toBeVisible();
  await expect(page.getByRole('switch')).toBeDisabled();
  await shell.stopAll.click();
  await expect(shell.stopOutcome).toHaveText(/^Stop all failed\..*offline/);
  await shell.closeStopFailure();

  await shell.open('Logs');
  const logs = new LogsPage(page);
  await expect(logs.line('connected to the hub')).toBeVisible();
  await expect(logs.state('offline, earlier lines only')).toBeVisible();
  await expect(page.getByText('The hub keeps lines for 30 days.')).toBeVisible();
  await logs.textField.fill('serving');
  await expect(logs.line('connected to the hub')).toHaveCount(0);
  await expect(logs.line('serving on')).toBeVisible();

  await shell.open('Configure');
  await expect(page.getByText('The hub stores what you apply, and press takes it when it is online.')).toBeVisible();
  const configure = new ConfigurePage(page);
  await configure.openText();
  await configure.replaceText('{"components": []}');
  await configure.review();
  await configure.applyPlan();
  await expect(page.getByText('Stored. press takes it when it is online.')).toBeVisible();
  await machines.open();
  await expect(machines.row('press')).toContainText('pending');

  await fleet.startPart(press.partId);
  await expect(machines.row('press')).toContainText('online', { timeout: 20_000 });
  await expect(machines.row('press')).toContainText('no resources yet', { timeout: 20_000 });
  await expect(machines.row('press')).not.toContainText('pending');
});
