import { onClimate, webhook } from '../../fixtures/capturing-bench.ts';
import { expect, test } from '../../fixtures/trigger-test.ts';
import { roomReadings } from '../../harness/captured-data.ts';
import { checkLook, keepPicture } from '../../page-objects/look.ts';

const warm = onClimate(
  'too-warm',
  [
    { operator: 'gt', value: { celsius: 22.4 } },
    { operator: 'regex', value: { fan: '^(low|off)$' } },
  ],
  [webhook('HOOK', 600), { type: 'email', value: 'lab@example.com', seconds_between_notifications: 0 }],
);
const gone = { name: 'bench-gone', event: { type: 'part_offline' }, notifications: [webhook('HOOK')] };
const pictures = {
  name: 'new-pictures',
  event: { type: 'part_data_ingested', data_ingested: { data_types: ['binary', 'file'] } },
  notifications: [webhook('HOOK')],
};
const off = {
  ...onClimate('door', [{ operator: 'eq', value: { door: { open: true } } }], [webhook('HOOK')]),
  disabled: true,
};
const odd = {
  name: 'odd',
  event: { type: 'part_online' },
  notifications: [{ type: 'webhook', value: 'HOOK', seconds_between_notifications: '60' }],
};

test.describe('with triggers', () => {
  test.use({ bench: { triggers: [warm, gone, pictures, off, odd], isStill: true } });

  test('the screen is accessible in both themes: builder, JSON, dry run, deliveries, dialogs, on a phone', async ({
    page,
    captured,
    receiver,
    triggers,
  }) => {
    test.setTimeout(600_000);
    const day = roomReadings(Date.now(), 96, 900_000);
    for (const reading of day) await captured.readings([reading]);
    receiver.answer = (_request, response) => response.writeHead(410).end('{"error":"this hook was removed"}');
    await triggers.openTrigger('too-warm');
    await triggers.target(1).test.click();
    await expect(triggers.target(1).row).toContainText('The test failed');
    receiver.answer = (_request, response) => response.end('{"ok":true}');
    await triggers.target(1).test.click();
    await expect(triggers.target(1).row).toContainText('The test was answered with 200.');
    await triggers.paste({ celsius: 23.1, fan: 'low' });
    await triggers.runDry();
    await expect(triggers.past.getByRole('img')).toBeVisible();
    await triggers.openDelivery(triggers.deliveryRows.nth(1));
    await expect(triggers.deliveryRows.nth(1).getByLabel('Answer')).toContainText('removed');
    await checkLook(page, 'triggers');
    await triggers.dryRun.scrollIntoViewIfNeeded();
    await keepPicture(page, 'triggers-dry-run');
    await triggers.evaluations.first().locator('summary').click();
    await triggers.evaluations.first().scrollIntoViewIfNeeded();
    await checkLook(page, 'triggers-evaluations');

    await page.setViewportSize({ width: 1280, height: 800 });
    await triggers.condition(1).row.scrollIntoViewIfNeeded();
    await triggers.condition(1).value.fill('23');
    await triggers.addCondition('humidity');
    await checkLook(page, 'triggers-changed');
    await triggers.deliveries.scrollIntoViewIfNeeded();
    await keepPicture(page, 'triggers-1280-deliveries');

    await page.setViewportSize({ width: 390, height: 844 });
    await triggers.condition(1).row.scrollIntoViewIfNeeded();
    await keepPicture(page, 'triggers-phone-builder');
    await triggers.deliveries.scrollIntoViewIfNeeded();
    await keepPicture(page, 'triggers-phone-deliveries');
    await page.setViewportSize({ width: 1440, height: 900 });
    await triggers.listed('odd').click();
    await triggers.json.waitFor();
    await checkLook(page, 'triggers-json');
    await triggers.listed('new-pictures').click();
    await checkLook(page, 'triggers-data');
    await triggers.listed('too-warm').click();
    await triggers.newButton.click();
    await checkLook(page, 'triggers-new');
    await page.keyboard.press('Escape');
    await triggers.target(1).secret.click();
    await triggers.dialog.getByRole('button', { name: 'Create a new secret' }).click();
    await triggers.dialog.locator('pre').waitFor();
    await checkLook(page, 'triggers-secret');
    await page.keyboard.press('Escape');
    await triggers.choose('Rename');
    await checkLook(page, 'triggers-rename');
    await page.keyboard.press('Escape');
    await triggers.choose('Delete');
    await checkLook(page, 'triggers-delete');
    await page.keyboard.press('Escape');
    await page.emulateMedia({ forcedColors: 'active', reducedMotion: 'reduce' });
    await keepPicture(page, 'triggers-forced');
  });
});

test('the empty screen is accessible in both themes', async ({ page, triggers }) => {
  await triggers.open();
  await expect(page.getByText('No triggers yet')).toBeVisible();
  await checkLook(page, 'triggers-empty');
});
