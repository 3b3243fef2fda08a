import { MotorServiceDefinition } from '../../../proto/gen/core/component/motor/v1/motor.ts';
import { expect, test } from '../../fixtures/machine-test.ts';
import { windowBench } from '../../fixtures/window-bench.ts';
import { MachineClient } from '../../harness/machine-client.ts';
import { ControlPage } from '../../page-objects/control.ts';
import { Dashboards } from '../../page-objects/dashboards.ts';
import { Shell } from '../../page-objects/shell.ts';

test.use({ config: windowBench });

test('a card moves its motor as elsewhere, and control goes off on leaving Control, not on changing the dashboard', async ({
  page,
  machine,
}) => {
  const { grpc } = new MachineClient(machine);
  const power = async (): Promise<number> =>
    (await grpc.call(MotorServiceDefinition, 'isPowered', { name: 'left' })).powerPct;
  const dashboards = new Dashboards(page);
  const control = new ControlPage(page);
  await dashboards.open();
  await dashboards.add('Bench');
  await dashboards.addCards('left');
  await dashboards.saveEdits();
  await expect(control.motor('left').state).toHaveText('still');
  await control.enable();
  await control.motor('left').forward.hover();
  await page.mouse.down();
  await expect.poll(power).toBeGreaterThan(0);
  // The address changes under the hand: what is held is let go.
  await page.evaluate(`location.hash = '#/control'`);
  await expect(control.card('climate')).toBeVisible();
  await expect.poll(power).toBe(0);
  await page.mouse.up();
  await expect(control.enableSwitch).toBeChecked();
  await dashboards.pick('Bench');
  await expect(control.enableSwitch).toBeChecked();
  await new Shell(page).open('Logs');
  await new Shell(page).open('Control');
  await expect(control.enableSwitch).not.toBeChecked();
});

test('while a dashboard is edited its cards cannot be operated', async ({ page }) => {
  const dashboards = new Dashboards(page);
  const control = new ControlPage(page);
  await dashboards.open();
  await control.enable();
  await dashboards.add('Bench');
  await dashboards.addCards('left');
  await expect(dashboards.tile('left').locator('.content')).toHaveAttribute('inert', '');
  await dashboards.saveEdits();
  await expect(dashboards.tiles.first().locator('.content')).not.toHaveAttribute('inert');
});

test('the tile of a resource that is gone or not ready says so, and how to go on', async ({ page, machine }) => {
  const dashboards = new Dashboards(page);
  await dashboards.open();
  await dashboards.add('Bench');
  await dashboards.addCards('climate', 'wheel');
  await dashboards.addPlot('position of wheel', 'celsius of climate');
  await dashboards.saveEdits();
  const text = JSON.parse(windowBench) as { components: { name: string; attributes: object }[] };
  const components = text.components
    .filter(({ name }) => name !== 'climate')
    .map((each) => (each.name === 'wheel' ? { ...each, attributes: { board: 'bench', pins: { a: 'enc-a' } } } : each));
  await machine.writeConfig(JSON.stringify({ ...text, components }));
  const gone = page.getByRole('article', { name: 'climate', exact: true });
  await expect(gone).toContainText('climate is not on this machine now. Add it in Configure');
  await expect(gone.getByRole('link', { name: 'Go to Configure' })).toBeVisible();
  await expect(page.getByRole('article', { name: 'wheel', exact: true })).toContainText('"b" is missing');
  const plot = page.getByRole('article', { name: /^Plot of/ });
  await expect(plot).toContainText('climate is not on this machine now');
  await expect(plot).toContainText('wheel is not ready');
  await machine.writeConfig(windowBench);
  await expect(gone).toContainText('celsius');
  await expect(plot).not.toContainText('not on this machine');
});
