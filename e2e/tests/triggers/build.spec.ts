import { readFile } from 'node:fs/promises';
import { expect, test } from '../../fixtures/trigger-test.ts';
import { Palette } from '../../page-objects/palette.ts';

test('a trigger built by clicks fires when the sensor reads what it waits for, and says what became of it', async ({
  page,
  fleet,
  receiver,
  reads,
  triggers,
}) => {
  await triggers.open();
  await expect(page.getByText('No triggers yet')).toBeVisible();
  await triggers.create('too-hot');
  await expect(triggers.method).toHaveValue('climate · Readings');
  await expect(triggers.listed('too-hot')).toContainText('cannot fire');

  // Fields come from what was really read, with what they hold.
  const hot = await triggers.addCondition('celsius');
  await expect(hot.operator).toHaveValue('gt');
  await expect(hot.row).toContainText('last 21.5');
  await hot.value.fill('50');
  const closed = await triggers.addCondition('room\\.humidity');
  await closed.operator.selectOption('is less than');
  await closed.value.fill('60');
  const target = triggers.target(1);
  await target.whereto.fill(receiver.url);
  await target.seconds.fill('');
  await expect(target.row).toContainText('every event is sent');
  await target.row.getByRole('button', { name: 'Set 60 s' }).click();
  await expect(target.row).not.toContainText('every event is sent');
  await expect(target.seconds).toHaveValue('60');
  await expect(target.test).toBeDisabled();
  await triggers.apply();
  await expect(target.test).toBeEnabled();

  const { triggers: written } = JSON.parse(await readFile(fleet.station.configPath, 'utf8')) as { triggers: unknown };
  expect(written).toEqual([
    {
      name: 'too-hot',
      event: {
        type: 'conditional_data_ingested',
        conditional: {
          data_capture_method: 'sensor:climate:Readings',
          conditions: {
            evals: [
              { operator: 'gt', value: { celsius: 50 } },
              { operator: 'lt', value: { room: { humidity: 60 } } },
            ],
          },
        },
      },
      notifications: [{ type: 'webhook', value: receiver.url, seconds_between_notifications: 60 }],
    },
  ]);

  await expect(triggers.evaluations.first()).toContainText('celsius: 21.5 is not greater than 50');
  expect(receiver.requests).toEqual([]);
  await reads({ celsius: 51.25 });
  await receiver.until(1);
  expect(JSON.parse(receiver.requests[0]?.body ?? '')).toMatchObject({
    component_name: 'climate',
    data: { data: { celsius: 51.25 } },
  });
  await expect(triggers.deliveryRows).toHaveCount(1);
  await expect(triggers.deliveryRows.first()).toContainText('200');
  // What comes within 60 s is held back, and said.
  await expect(triggers.evaluations.first()).toContainText('held back');
  await expect(triggers.evaluations.first()).toContainText('within 60 s of the last notification');
  await expect(triggers.past).toContainText(/It would have fired/);
  await expect(triggers.past).toContainText('1 notification');
});

test('a trigger is built, applied, renamed and deleted by keys alone', async ({ page, fleet, receiver, triggers }) => {
  const keys = page.keyboard;
  const focused = () => page.locator(':focus');
  const tabTo = async (name: string | RegExp) => {
    // All the way round: each evaluation since the first has a place of its own.
    for (let presses = 0; presses < 200; presses++) {
      await keys.press('Tab');
      const label = await page.evaluate<string>(
        `document.activeElement.getAttribute('aria-label') ?? document.activeElement.textContent.trim()`,
      );
      if (typeof name === 'string' ? label === name : name.test(label)) return;
    }
    throw new Error(`Tab does not lead to ${String(name)}`);
  };
  await expect(page.getByRole('heading', { level: 1 })).toBeVisible();
  await keys.press('ControlOrMeta+5');
  await expect(triggers.newButton).toBeEnabled();
  const palette = new Palette(page);
  await palette.run('New trigger');
  await expect(focused()).toHaveAccessibleName('Name');
  await keys.type('door-open');
  await keys.press('Enter');
  await expect(triggers.pane('door-open')).toBeVisible();

  // From there on: what became of a trigger, below it, has a place for the key for each evaluation.
  const title = page.getByRole('heading', { name: 'Triggers', level: 1 });
  await title.press('Tab');
  await tabTo('+ Add a condition');
  await keys.press('Enter');
  await expect(triggers.condition(1).field).toBeFocused();
  await keys.type('door');
  await keys.press('Enter');
  await expect(triggers.condition(1).operator).toHaveValue('eq');
  await expect(triggers.condition(1).operator).toBeFocused();
  await expect(triggers.condition(1).value).toHaveValue('false');
  await tabTo('Value');
  await keys.press('t');
  await expect(triggers.condition(1).value).toHaveValue('true');
  await tabTo('URL');
  await keys.type(receiver.url);
  await expect(triggers.listed('door-open')).toContainText('not applied yet');
  await keys.press('ControlOrMeta+s');
  await expect(triggers.applyBar.bar).toContainText('Applied');
  const read = async () => JSON.parse(await readFile(fleet.station.configPath, 'utf8')) as { triggers?: object[] };
  expect((await read()).triggers).toMatchObject([
    {
      name: 'door-open',
      event: { conditional: { conditions: { evals: [{ operator: 'eq', value: { door: true } }] } } },
    },
  ]);

  await title.press('Tab');
  await tabTo(/^More for door-open/);
  await keys.press('Enter');
  await page.getByRole('menuitem', { name: 'Rename' }).waitFor();
  await keys.type('ren');
  await keys.press('Enter');
  await keys.type('door');
  await keys.press('Enter');
  await expect(triggers.pane('door')).toBeVisible();
  await expect(page).toHaveURL(/trigger=door$/);
  await keys.press('ControlOrMeta+z');
  await expect(triggers.pane('door-open')).toBeVisible();

  await title.press('Tab');
  await tabTo(/^More for door-open/);
  await keys.press('Enter');
  await keys.type('del');
  await keys.press('Enter');
  await expect(triggers.dialog).toContainText('Delete door-open?');
  await triggers.dialog.getByRole('button', { name: 'Delete' }).press('Enter');
  await expect(page.getByText('No triggers yet')).toBeVisible();
  await keys.press('ControlOrMeta+s');
  await expect(triggers.applyBar.bar).toContainText('Applied');
  expect(await read()).not.toHaveProperty('triggers');
});

test.describe('with triggers that are there', () => {
  const odd = {
    name: 'odd',
    event: { type: 'part_online' },
    notifications: [{ type: 'webhook', value: 'HOOK', seconds_between_notifications: '60' }],
    notes: 'mine',
  };
  const both = {
    name: 'both',
    event: {
      type: 'conditional_data_ingested',
      conditional: {
        data_capture_method: 'rdk:component:sensor:climate:Readings',
        conditions: { evals: [{ operator: 'gt', value: { celsius: 30, room: { humidity: 10 } } }] },
      },
    },
    notifications: [{ type: 'webhook', value: 'HOOK', seconds_between_notifications: 60 }],
  };
  test.use({ bench: { triggers: [odd, both], isStill: true } });

  test('what the builder does not know stays as it is, and is edited as JSON; undo goes over both', async ({
    fleet,
    page,
    triggers,
  }) => {
    const before = await readFile(fleet.station.configPath, 'utf8');
    await triggers.openTrigger('odd');
    await expect(triggers.pane('odd')).toContainText('The form cannot show everything in this trigger.');
    await expect(triggers.json).toContainText('"seconds_between_notifications": "60"');
    await expect(triggers.pane('odd')).toContainText('seconds_between_notifications');
    await triggers.json.click();
    await page.keyboard.press('ControlOrMeta+a');
    await page.keyboard.insertText('{ "name": "odd", "event": ');
    await expect(triggers.pane('odd')).toContainText('it keeps the last valid value');
    const mended = {
      ...odd,
      notifications: [{ type: 'email', value: 'ann@example.com', seconds_between_notifications: 5 }],
    };
    await page.keyboard.press('ControlOrMeta+a');
    await page.keyboard.insertText(JSON.stringify(mended, null, 2));
    await expect(triggers.target(1).whereto).toHaveValue('ann@example.com');
    await page.keyboard.press('ControlOrMeta+z');
    await expect(triggers.json).toContainText('"60"');
    await expect(triggers.applyBar.bar).toContainText('Everything is applied');
    expect(await readFile(fleet.station.configPath, 'utf8')).toBe(before);
  });

  test('one value of an entry with several changes alone, and every problem is at its field', async ({
    fleet,
    triggers,
  }) => {
    await triggers.openTrigger('both');
    await expect(triggers.conditions).toHaveCount(2);
    await expect(triggers.method).toHaveValue('climate · Readings');
    await triggers.condition(2).value.fill('12.5');
    await expect(triggers.listed('both')).toContainText('changed, not applied');
    await triggers.target(1).whereto.fill('ftp://nowhere');
    await expect(triggers.target(1).row).toContainText('does not begin with http:// or https://');
    await expect(triggers.listed('both')).toContainText('cannot fire');
    await triggers.condition(1).value.fill('warm');
    await expect(triggers.condition(1).row).toContainText('“warm” is not a number');
    // Errors keep the draft from being applied, and the bar leads to the first.
    await triggers.openTrigger('odd');
    await triggers.listed('both').click();
    await triggers.target(1).whereto.fill('http://127.0.0.1:9/hook');
    await triggers.showView('JSON');
    await expect(triggers.json).toContainText('"celsius": 30');
    await expect(triggers.json).toContainText('"humidity": 12.5');
    await expect(triggers.json).toContainText('rdk:component:sensor:climate:Readings');
    await triggers.openTrigger('odd');
    await triggers.choose('Delete');
    await triggers.dialog.getByRole('button', { name: 'Delete' }).click();
    await triggers.openTrigger('both');
    await triggers.choose('Disable');
    await triggers.apply();
    await expect(triggers.listed('both')).toContainText('disabled');
    const text = await readFile(fleet.station.configPath, 'utf8');
    expect((JSON.parse(text) as { triggers: object[] }).triggers).toMatchObject([{ name: 'both', disabled: true }]);
  });
});
