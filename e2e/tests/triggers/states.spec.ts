import { mkdtemp, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { expect, test } from '@playwright/test';
import { Receiver } from '../../../src-main/hub/triggers/testing/receiver.ts';
import { capturingBench, onClimate, webhook } from '../../fixtures/capturing-bench.ts';
import { windowBench } from '../../fixtures/window-bench.ts';
import { CapturedData } from '../../harness/captured-data.ts';
import { HubClient, hubFolder, roleAt, startHub } from '../../harness/hub-process.ts';
import { startServer } from '../../harness/server-process.ts';
import { WindowFleet } from '../../harness/window-fleet.ts';
import { Shell } from '../../page-objects/shell.ts';
import { TriggersPage } from '../../page-objects/triggers.ts';

test('without a hub the screen says why nobody is told, and what to do', async ({ page }) => {
  const home = await mkdtemp(path.join(os.tmpdir(), 'armature-triggers-'));
  const machine = await startServer({ config: windowBench, home, args: ['-hub=false'] });
  try {
    await page.goto(machine.pageUrl);
    await new Shell(page).open('Triggers');
    await expect(page.getByText('This machine runs without a hub, so triggers cannot fire.')).toBeVisible();
    await expect(page.getByText('Start the server without -hub=false')).toBeVisible();
  } finally {
    await machine.stop();
    await rm(home, { recursive: true, force: true });
  }
});

test('where nothing is captured a trigger on readings says what comes first', async ({ page }) => {
  const machine = await startServer({ config: windowBench });
  const triggers = new TriggersPage(page);
  try {
    await page.goto(machine.pageUrl);
    await triggers.open();
    await expect(page.getByText('Nothing is captured on this machine yet.')).toBeVisible();
    await triggers.create('hot');
    await expect(triggers.builder).toContainText('give a resource a capture method first');
    await expect(triggers.builder).toContainText('names no captured method');
    await triggers.kind.selectOption('this machine goes offline');
    await triggers.target(1).whereto.fill('http://127.0.0.1:9/hook');
    await triggers.apply();
    await triggers.runDry();
    await expect(triggers.dryRunResult).toContainText('would fire');
    await expect(triggers.dryRunResult).toContainText('Machine-Name');
    await expect(triggers.dryRunResult).toContainText('No body.');
  } finally {
    await machine.stop();
  }
});

test('of another machine its triggers are shown, also while it is away', async ({ page }) => {
  const receiver = await Receiver.listen();
  const fleet = await WindowFleet.start();
  const triggers = new TriggersPage(page);
  try {
    const press = await fleet.addMachine('press-12', await fleet.addLocation('Hall 3'));
    const hot = onClimate('hot', [{ operator: 'gt', value: { celsius: 50 } }], [webhook(receiver.url)]);
    await fleet.configure(press.partId, capturingBench({ triggers: [hot] }));
    const captured = await CapturedData.open(fleet, press.partId);
    await captured.readings([{ at: Date.now(), values: { celsius: 70 } }]);
    captured.close();
    await receiver.until(1);
    const address = new URL(fleet.station.pageUrl);
    address.searchParams.set('part', press.partId);
    await page.goto(address.href);
    await triggers.openTrigger('hot');
    await expect(triggers.deliveryRows).toHaveCount(1);
    await expect(triggers.condition(1).row).toContainText('last 70');
    await triggers.condition(1).value.fill('80');
    await triggers.applyBar.applyButton.click();
    await expect(triggers.past).toContainText('It would not have fired in the last day.');
    await expect(triggers.listed('hot')).toContainText(/fired/);
  } finally {
    await fleet.stop();
    await receiver.close();
  }
});

test.describe('at a hub alone', () => {
  test.use({ ignoreHTTPSErrors: true });

  test('an operator sees triggers, dry runs and deliveries, and is offered nothing that sends', async ({ page }) => {
    test.slow();
    const { data: folder, remove } = await hubFolder();
    const hub = await startHub({ data: folder, args: ['--no-tls'] });
    const organizationId = hub.organizationId ?? '';
    const owner = await HubClient.logIn(hub.url, hub.ownerKey ?? { id: '', secret: '' });
    const triggers = new TriggersPage(page);
    try {
      const { robots } = await owner.call('listRobotsForOrg', { orgId: organizationId });
      const { parts } = await owner.call('getRobotParts', { robotId: robots[0]?.id ?? '' });
      const partId = parts[0]?.id ?? '';
      const up = { name: 'up', event: { type: 'part_online' }, notifications: [webhook('http://127.0.0.1:9/up')] };
      const update = { id: partId, name: '', robotConfig: undefined, lastKnownUpdate: undefined };
      await owner.call('updateRobotPart', { ...update, robotConfigJson: capturingBench({ triggers: [up] }) });
      const operator = roleAt('organization_operator', organizationId);
      const key = await owner.call('createKey', { name: 'bench', authorizations: [operator] });
      await page.goto(`${hub.url}/?part=${partId}`);
      await page.getByRole('textbox', { name: 'Key id' }).fill(key.id);
      await page.getByLabel('Key', { exact: true }).fill(key.key);
      await page.keyboard.press('Enter');
      await triggers.openTrigger('up');
      await expect(triggers.target(1).whereto).toHaveValue('http://127.0.0.1:9/up');
      await expect(triggers.target(1).test).toHaveCount(0);
      await expect(triggers.target(1).secret).toHaveCount(0);
      await expect(page.getByText('An owner of this machine can send tests')).toBeVisible();
      await triggers.runDry();
      await expect(triggers.dryRunResult).toContainText('would fire');
      await expect(triggers.deliveries).toContainText('Nothing was sent yet.');
    } finally {
      owner.close();
      await hub.stop();
      await remove();
    }
  });
});
