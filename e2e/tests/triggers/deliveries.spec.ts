import { onClimate, webhook } from '../../fixtures/capturing-bench.ts';
import { expect, test } from '../../fixtures/trigger-test.ts';

const hot = onClimate('hot', [{ operator: 'gt', value: { celsius: 50 } }], [webhook('HOOK', 1)]);
test.use({ bench: { triggers: [hot], isStill: true } });

const reading = (celsius: number) => [{ at: Date.now(), values: { celsius } }];

test('a dead delivery says why, shows what was sent and answered, and is replayed as the same message', async ({
  captured,
  page,
  receiver,
  triggers,
}) => {
  receiver.answer = (_request, response) => response.writeHead(410, { 'x-why': 'moved' }).end('{"gone":true}');
  await captured.readings(reading(60));
  await receiver.until(1);
  await triggers.openTrigger('hot');
  const row = triggers.deliveryRows.first();
  await expect(row).toContainText('given up');
  await expect(row).toContainText('answered 410');
  await triggers.openDelivery(row);
  await expect(row).toContainText('The receiver answered 410 (gone): it wants no more notifications.');
  await expect(row.getByRole('article', { name: `POST to ${receiver.url}` }).getByLabel('Body')).toContainText(
    '"celsius": 60',
  );
  await expect(row.getByLabel('Answer')).toContainText('"gone": true');
  await row.getByText('Headers', { exact: true }).click();
  await expect(row).toContainText('moved');

  receiver.answer = (_request, response) => response.end('thanks');
  await row.getByRole('button', { name: 'Replay' }).click();
  await expect(row).toContainText('200');
  await expect(row.getByLabel('Answer')).toContainText('thanks');
  await receiver.until(2);
  const [first, second] = receiver.requests;
  expect(second?.headers['webhook-id']).toBe(first?.headers['webhook-id']);
  expect(second?.body).toBe(first?.body);
  await expect(row).toContainText(String(first?.headers['webhook-id']));

  // The address leads to it.
  await page.reload();
  await expect(triggers.deliveryRows.first().getByLabel('Answer')).toContainText('thanks');
});

test('what is tried again says when, and deliveries are found by state and by trigger', async ({
  captured,
  receiver,
  triggers,
}) => {
  await captured.readings(reading(60));
  await receiver.until(1);
  await triggers.openTrigger('hot');
  await expect(triggers.deliveryRows).toHaveCount(1);
  await expect(triggers.deliveryRows.first()).toContainText('200');
  receiver.answer = (_request, response) => response.writeHead(503).end('busy');
  await triggers.create('also', 'this machine comes online');
  await triggers.listed('hot').click();
  await triggers.target(1).test.click();
  await expect(triggers.target(1).row).toContainText('The test failed');
  await expect(triggers.deliveryRows).toHaveCount(2);
  await expect(triggers.deliveryRows.first()).toContainText('test');
  const state = triggers.deliveries.getByRole('combobox', { name: 'State' });
  await state.selectOption('given up');
  await expect(triggers.deliveryRows).toHaveCount(1);
  await state.selectOption('waiting');
  await expect(triggers.deliveries).toContainText('Nothing matches.');
  // The limit of a second is over when a reading of later comes.
  await expect
    .poll(async () => {
      await captured.readings(reading(61));
      return receiver.requests.length;
    })
    .toBeGreaterThan(2);
  await expect(triggers.deliveryRows.first()).toContainText('trying again');
  await expect(triggers.deliveryRows.first()).toContainText(/answered 503 · next (in|now)/);
  await triggers.listed('also').click();
  await expect(triggers.deliveries).toContainText('Nothing matches.');
  await triggers.deliveries.getByRole('button', { name: 'All', exact: true }).click();
  await expect(triggers.deliveryRows.first()).toContainText('hot');
});

test('a test shows its answer, and a secret is told once and overlaps with the one before', async ({
  page,
  receiver,
  triggers,
}) => {
  receiver.answer = (_request, response) => response.end('well received');
  await triggers.openTrigger('hot');
  const target = triggers.target(1);
  await target.test.click();
  await expect(target.row).toContainText('The test was answered with 200.');
  await expect(target.row).toContainText('well received');
  await target.row.getByRole('button', { name: 'Show request and answer' }).click();
  await expect(triggers.deliveryRows.first().getByRole('article')).toContainText('POST');

  const make = async (): Promise<string> => {
    await target.secret.click();
    await triggers.dialog.getByRole('button', { name: 'Create a new secret' }).click();
    const secret = await triggers.dialog.locator('pre').innerText();
    expect(secret).toMatch(/^whsec_/);
    return secret;
  };
  const first = await make();
  await expect(triggers.dialog).toContainText('signed with the previous secret until');
  await triggers.dialog.getByRole('button', { name: 'Done' }).click();
  expect(await page.content()).not.toContain(first);
  expect(await make()).not.toBe(first);
  await page.keyboard.press('Escape');
  await target.test.click();
  await receiver.until(2);
  expect(String(receiver.requests[1]?.headers['webhook-signature']).split(' ')).toHaveLength(2);
});
