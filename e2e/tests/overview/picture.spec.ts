import { writeFile } from 'node:fs/promises';
import { MotorServiceDefinition } from '../../../proto/gen/core/component/motor/v1/motor.ts';
import { expect, test } from '../../fixtures/machine-test.ts';
import { windowBench } from '../../fixtures/window-bench.ts';
import { MachineClient } from '../../harness/machine-client.ts';
import { OverviewPage } from '../../page-objects/overview.ts';
import { Shell } from '../../page-objects/shell.ts';

test.use({ config: windowBench });

test('the picture shows what each resource does now, and a node leads to its card', async ({ page, machine }) => {
  const { grpc } = new MachineClient(machine);
  const overview = new OverviewPage(page);
  await overview.open();
  await expect(overview.node('left')).toHaveAccessibleName('left, ready, still');
  await expect(overview.node('climate')).toHaveAccessibleName(/^climate, ready, 21.5\s°C$/);
  await expect(overview.node('wheel')).toHaveAccessibleName(/^wheel, ready, [\d,]+\sticks$/);
  await expect(overview.node('bench')).toHaveAccessibleName('bench, ready, 0 of 5 pins high');

  const place = async () => JSON.stringify(await overview.node('left').boundingBox());
  const before = await place();
  await grpc.call(MotorServiceDefinition, 'setRPM', { name: 'left', rpm: 60 });
  await expect(overview.node('left')).toHaveAccessibleName(/^left, ready, (5[5-9]|6[0-5])\srpm$/);
  await expect(overview.node('bench')).toHaveAccessibleName(/, [1-5] of 5 pins high$/);
  // A value that changes moves nothing.
  expect(await place()).toBe(before);
  await grpc.call(MotorServiceDefinition, 'stop', { name: 'left' });
  await expect(overview.node('left')).toHaveAccessibleName('left, ready, still');

  await overview.node('left').focus();
  await page.keyboard.press('Enter');
  await expect(page).toHaveURL(/#\/control\?resource=left$/);
});

test('a failed resource says why in the picture, and leads to its configuration', async ({ page, machine }) => {
  const overview = new OverviewPage(page);
  await overview.open();
  await expect(overview.node('bench')).toHaveAccessibleName(/^bench, ready/);
  await writeFile(machine.configPath, windowBench.replace('"fail_new": false', '"fail_new": true'));
  await expect(overview.node('bench')).toHaveAccessibleName(/^bench, failed, ./);
  await expect(overview.resources.getByRole('list', { name: 'Not ready' })).toHaveText(/^\s*bench\s*failed/);
  await overview.node('bench').click();
  await expect(page).toHaveURL(/#\/configure\/resource\/bench$/);
});

test('nothing is polled while another screen is open or the page is hidden', async ({ page, watchRelay }) => {
  const overview = new OverviewPage(page);
  await overview.open();
  await expect(overview.node('left')).toHaveAccessibleName('left, ready, still');
  const left = 'core:component:motor/left';
  expect(watchRelay.paceOf(left)).toEqual({ IsMoving: 2, GetPosition: 2 });
  await new Shell(page).open('Logs');
  await expect.poll(() => watchRelay.paceOf(left)).toEqual({});
  await overview.open();
  await expect.poll(() => watchRelay.paceOf(left)).toEqual({ IsMoving: 2, GetPosition: 2 });
  await page.evaluate(`
    Object.defineProperty(document, 'hidden', { get: () => true });
    document.dispatchEvent(new Event('visibilitychange'));
  `);
  await expect.poll(() => watchRelay.paceOf(left)).toEqual({});
});

test('without a link every value says that it is old', async ({ page, machine }) => {
  const overview = new OverviewPage(page);
  await overview.open();
  await expect(overview.node('left')).toHaveAccessibleName('left, ready, still');
  await expect(overview.node('climate')).toHaveAccessibleName(/°C$/);
  await machine.crash();
  await expect(overview.node('left')).toHaveAccessibleName('left, ready, still, old');
  await expect(overview.node('climate')).toHaveAccessibleName(/°C, old$/);
  await expect(overview.resources).toContainText('No connection: these are the last known values.');
});

test.describe('200 resources', () => {
  const motors = Array.from({ length: 200 }, (_, index) => ({
    name: `motor-${index}`,
    api: 'core:component:motor',
    model: 'fake',
    attributes: {},
  }));
  test.use({ config: JSON.stringify({ network: { bind_address: 'localhost:0' }, components: motors }) });

  test('are groups with their states, which open to the values of each', async ({ page }) => {
    const overview = new OverviewPage(page);
    await overview.open();
    await expect(overview.resources).toContainText('200 of 200 ready');
    await expect(overview.picture).toBeHidden();
    const group = overview.resources.getByRole('group').filter({ hasText: '200 ready' });
    await expect(group).toContainText('motor');
    await group.locator('summary').focus();
    await page.keyboard.press('Enter');
    await expect(group.getByRole('link', { name: /^motor-0 / })).toContainText('still');
    await group.getByRole('link', { name: /^motor-7 / }).click();
    await expect(page).toHaveURL(/#\/control\?resource=motor-7$/);
  });
});
