import { expect, test } from '../../fixtures/fleet-test.ts';
import { ControlPage } from '../../page-objects/control.ts';
import { FleetPage } from '../../page-objects/fleet.ts';
import { Palette } from '../../page-objects/palette.ts';
import { Shell } from '../../page-objects/shell.ts';

test('another machine is chosen by keys alone, and the page is about it until another is chosen', async ({
  page,
  fleet,
}) => {
  test.slow();
  const shell = new Shell(page);
  const machines = new FleetPage(page);
  const press = await fleet.join('press', await fleet.addLocation('Lab 2'));
  await page.keyboard.press('ControlOrMeta+j');
  await expect(machines.row('press')).toContainText('5 of 5 ready');
  await expect(machines.row('press')).toContainText('online');

  await machines.search.fill('lab press');
  await expect(page).toHaveURL(/fleet\?text=lab/);
  await expect(machines.rows).toHaveCount(1);
  await machines.search.press('ArrowDown');
  await expect(machines.table).toBeFocused();
  await page.keyboard.press('Enter');

  await expect(shell.machine).toContainText('Lab 2');
  await expect(shell.machine).toContainText('press');
  await expect(shell.machine).toContainText('running');
  await expect(page).toHaveURL(new RegExp(`\\?part=${press.partId}#/overview$`));
  await expect(page.getByRole('heading', { name: 'press', level: 1 })).toBeVisible();

  // What is done here is done there.
  await shell.open('Control');
  const control = new ControlPage(page);
  await control.enable();
  await expect(control.card('left')).toBeVisible();
  await shell.stopAll.click();
  await expect(shell.stopOutcome).toHaveText('All stopped. Pins that were set directly are at their safe level.');

  await page.reload();
  await expect(shell.machine).toContainText('press');
  const second = await page.context().newPage();
  await second.goto(page.url());
  await expect(new Shell(second).machine).toContainText('press');
  await second.close();

  await new Palette(page).run('Open vm'.replace('vm', (await fleet.ownName()).slice(0, 12)));
  await expect(page).not.toHaveURL(/part=/);
  await expect(shell.machine).toContainText(await fleet.ownName());
});

test('the list is live: a machine that stops, comes back or is added elsewhere is seen at once', async ({
  page,
  fleet,
}) => {
  test.slow();
  const machines = new FleetPage(page);
  await machines.open();
  const lab = await fleet.addLocation('Lab 2');
  const press = await fleet.join('press', lab);
  await expect(machines.row('press')).toContainText('online');
  await press.server.stop();
  await expect(machines.row('press')).toContainText('offline for', { timeout: 20_000 });
  await machines.showState('Offline');
  await expect(machines.rows).toHaveCount(1);
  await expect(page).toHaveURL(/state=offline/);
  await fleet.startPart(press.partId);
  await expect(machines.rows).toHaveCount(0, { timeout: 20_000 });
  await page.goBack();
  await expect(machines.row('press')).toContainText('online');
  await fleet.call('updateRobot', { id: press.machineId, name: 'press-2', location: '' });
  await expect(machines.row('press-2')).toBeVisible();
  await fleet.call('deleteRobot', { id: press.machineId });
  await expect(machines.rows).toHaveCount(1);
});
