import { onClimate, webhook } from '../../fixtures/capturing-bench.ts';
import { expect, test } from '../../fixtures/trigger-test.ts';

const evals = [
  { operator: 'gt', value: { celsius: 50 } },
  { operator: 'regex', value: { state: '^(run|warmup)$' } },
];
test.use({
  bench: {
    triggers: [onClimate('hot', evals, [webhook('HOOK'), { type: 'email', value: 'ann@example.com' }])],
    isStill: true,
  },
});

test('a dry run refuses with the reason of each condition, and shows the exact requests where it would fire', async ({
  captured,
  receiver,
  triggers,
}) => {
  const now = Date.now();
  await captured.readings([
    { at: now - 2_000, values: { celsius: 60, state: 'run' } },
    { at: now - 1_000, values: { celsius: 41.5, state: 'idle' } },
  ]);
  await receiver.until(1);
  await triggers.openTrigger('hot');
  await triggers.runDry();
  await expect(triggers.dryRunResult).toContainText('would not fire');
  await expect(triggers.dryRunResult).toContainText('Because celsius: 41.5 is not greater than 50.');
  const conditions = triggers.dryRunResult.getByRole('list', { name: 'Conditions' }).getByRole('listitem');
  await expect(conditions).toHaveCount(2);
  await expect(conditions.nth(1)).toContainText('not met');
  await expect(conditions.nth(1)).toContainText('"idle" does not match');

  // An older reading of those that are stored.
  await triggers.dryRun.getByRole('combobox', { name: 'Stored reading' }).selectOption({ index: 1 });
  await expect(triggers.dryRunResult).toContainText('The trigger has changed since');
  await triggers.runDry();
  await expect(triggers.dryRunResult).toContainText('would fire');
  const request = triggers.dryRunResult.getByRole('article', { name: `POST to ${receiver.url}` });
  const sent = receiver.requests[0];
  await expect(request).toContainText(`Part-Id${captured.partId}`);
  await expect(request.getByLabel('Body')).toContainText('"celsius": 60');
  // What is shown has every header that was really sent, but those of HTTP and of the signature.
  for (const name of ['org-id', 'location-id', 'robot-id', 'content-type']) {
    await expect(request).toContainText(String(sent?.headers[name]));
  }
  const shown = JSON.parse(await request.getByLabel('Body').innerText()) as Record<string, unknown>;
  expect(Object.keys(shown)).toEqual(Object.keys(JSON.parse(sent?.body ?? '') as object));
  await expect(triggers.dryRunResult.getByRole('article', { name: 'E-mail to ann@example.com' })).toContainText('hot');

  // A pasted reading, and a trigger as it stands in the draft.
  await triggers.condition(1).value.fill('70');
  await triggers.paste({ celsius: 65, state: 'run' });
  await triggers.runDry();
  await expect(triggers.dryRunResult).toContainText('Because celsius: 65 is not greater than 70.');
  await triggers.paste({ state: 'run' });
  await triggers.runDry();
  await expect(triggers.dryRunResult).toContainText('the reading has no field "celsius"');
  expect(receiver.requests).toHaveLength(1);
});

test('an evaluation that did not fire says why, and goes on in the dry run', async ({ captured, triggers }) => {
  await captured.readings([{ at: Date.now(), values: { celsius: 12, state: 'idle' } }]);
  await triggers.openTrigger('hot');
  const evaluation = triggers.evaluations.first();
  await expect(evaluation).toContainText('not fired');
  await expect(evaluation).toContainText('celsius: 12 is not greater than 50');
  await evaluation.locator('summary').click();
  await evaluation.getByRole('button', { name: 'Use in the dry run' }).click();
  await triggers.runDry();
  await expect(triggers.dryRunResult).toContainText('Because celsius: 12 is not greater than 50.');
});

test('how often the draft would have fired in the last day follows the draft', async ({ captured, triggers }) => {
  for (const celsius of [55, 60, 40, 65]) {
    await captured.readings([{ at: Date.now(), values: { celsius, state: 'run' } }]);
  }
  await triggers.openTrigger('hot');
  await expect(triggers.past).toContainText('It would have fired 3 times in the last day.');
  await expect(triggers.past).toContainText('4 syncs checked');
  await expect(triggers.past).toContainText('2 dropped within 60 s');
  await triggers.condition(1).value.fill('62');
  await expect(triggers.past).toContainText('It would have fired once in the last day.');
  await triggers.condition(1).value.fill('1000');
  await expect(triggers.past).toContainText('It would not have fired in the last day.');
});
