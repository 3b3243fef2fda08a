import { readFile } from 'node:fs/promises';
import { SensorServiceDefinition } from '../../../proto/gen/core/component/sensor/v1/sensor.ts';
import { expect, test } from '../../fixtures/machine-test.ts';
import { windowBench } from '../../fixtures/window-bench.ts';
import { MachineClient } from '../../harness/machine-client.ts';
import type { ServerProcess } from '../../harness/server-process.ts';
import { ApplyBar } from '../../page-objects/apply-bar.ts';
import { ConfigurePage } from '../../page-objects/configure.ts';
import { checkLook } from '../../page-objects/look.ts';
import { Shell } from '../../page-objects/shell.ts';

/** The bench behind a garage door: only while it is closed may anything be interrupted. */
const config = windowBench.replace(
  '"components": [',
  `"maintenance": { "sensor_name": "core:component:sensor/garage-door", "maintenance_allowed_key": "door_closed" },
  "components": [
    { "name": "garage-door", "api": "core:component:sensor", "model": "fake", "attributes": { "readings": { "door_closed": false } } },`,
);
/** The right motor is built anew for it. */
const changed = config.replace('"board": "bench", "pins": { "dir": "16",', '"board": "bench", "pins": { "dir": "18",');

test.use({ config });

async function sayDoorIs(machine: ServerProcess, closed: boolean): Promise<void> {
  const client = new MachineClient(machine);
  const command = { set: { door_closed: closed } };
  await client.grpc.call(SensorServiceDefinition, 'doCommand', { name: 'garage-door', command });
  client.close();
}

/** Applies the change, through the plan that it is shown first. */
async function applyChange(configure: ConfigurePage, apply: ApplyBar): Promise<void> {
  expect(changed).not.toBe(config);
  await configure.replaceText(changed);
  await expect(apply.applyButton).toHaveAttribute('aria-disabled', 'false');
  await apply.applyButton.click();
  await apply.plan.getByRole('button', { name: /apply/i }).click();
  await expect(apply.waiting).toBeVisible();
}

test(
  'a change waits in words: for what, since when, what it will do, on every screen',
  { tag: '@smoke' },
  async ({ page, machine }) => {
    const [configure, apply, shell] = [new ConfigurePage(page), new ApplyBar(page), new Shell(page)];
    await applyChange(configure, apply);
    const words = /aiting for sensor garage-door: door_closed is false, since \d\d:\d\d$/;
    await expect(apply.waiting.getByRole('status')).toHaveText(words);
    await expect(apply.bar).toContainText('Stored. It is applied when maintenance is allowed.');
    await expect(apply.bar).not.toContainText('Everything is applied');
    await expect(apply.progress).toBeHidden();
    const list = await apply.openWaiting();
    await expect(list.getByRole('listitem')).toHaveText(/right.*pins.*16 to .*18.*stops/);
    await checkLook(page, 'maintenance-waiting');
    await shell.open('Control');
    await expect(shell.waitingUpdate).toHaveText(/sensor garage-door: door_closed is false, since \d\d:\d\d$/);
    expect(await readFile(machine.configPath, 'utf8')).toBe(changed);
    await shell.waitingUpdate.click();
    await sayDoorIs(machine, true);
    await expect(apply.waiting).toBeHidden();
    await expect(shell.waitingUpdate).toBeHidden();
    await expect(apply.bar).toContainText('6 ready');
  },
);

test('Apply now says what stops, asks by keyboard too, and does it', async ({ page, machine }) => {
  const [configure, apply] = [new ConfigurePage(page), new ApplyBar(page)];
  await applyChange(configure, apply);
  await apply.applyNow.click();
  await checkLook(page, 'maintenance-apply-now');
  await page.keyboard.press('Escape');
  await apply.applyNow.focus();
  await page.keyboard.press('Enter');
  await expect(apply.waitingQuestion).toContainText(
    'Maintenance is not allowed (sensor garage-door: door_closed is false).',
  );
  await expect(apply.waitingQuestion).toContainText('right stops');
  // What is chosen first is what changes nothing.
  await page.keyboard.press('Enter');
  await expect(apply.waitingQuestion).toBeHidden();
  await expect(apply.waiting).toBeVisible();
  await expect(apply.applyNow).toBeFocused();
  await apply.applyNow.click();
  await apply.waitingQuestion.getByRole('button', { name: 'Apply now' }).click();
  await expect(apply.waiting).toBeHidden();
  await expect(apply.bar).toContainText('6 ready');
  expect(machine.stderr()).toMatch(/is carried out now, as .+ decided, although it waited/);
});

test('Discard goes back to what runs, and nothing waits any more', async ({ page, machine }) => {
  const [configure, apply] = [new ConfigurePage(page), new ApplyBar(page)];
  await applyChange(configure, apply);
  await apply.discardWaiting.click();
  await expect(apply.waitingQuestion).toContainText('right');
  await apply.waitingQuestion.getByRole('button', { name: 'Discard' }).click();
  await expect(apply.waiting).toBeHidden();
  await expect(apply.bar).toContainText('Everything is applied');
  expect(await readFile(machine.configPath, 'utf8')).toBe(config);
});

test('two windows: both see what waits, and what one decides is seen in the other', async ({
  page,
  context,
  machine,
}) => {
  const [configure, apply] = [new ConfigurePage(page), new ApplyBar(page)];
  await applyChange(configure, apply);
  const other = await context.newPage();
  await other.goto(machine.pageUrl);
  const theirs = new ApplyBar(other);
  await expect(theirs.waiting).toBeVisible();
  await theirs.applyNow.click();
  await theirs.waitingQuestion.getByRole('button', { name: 'Apply now' }).click();
  await expect(apply.waiting).toBeHidden();
  await expect(theirs.waiting).toBeHidden();
});
