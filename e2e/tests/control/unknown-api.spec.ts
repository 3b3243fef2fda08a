import { expect, test } from '../../fixtures/acme/machine-test.ts';
import { ServiceCard } from '../../page-objects/commands.ts';
import { ControlPage } from '../../page-objects/control.ts';
import { checkLook } from '../../page-objects/look.ts';
import { Shell } from '../../page-objects/shell.ts';

const handOf = (control: ControlPage): ServiceCard => new ServiceCard(control.card('hand'));

test.beforeEach(async ({ page }) => {
  await new Shell(page).open('Control');
});

test('an API that the page has no code for shows its methods and a form for each request', async ({ page }) => {
  const control = new ControlPage(page);
  const hand = handOf(control);
  await expect(hand.methods).toHaveText(['Grab', 'Open', 'WatchForce', 'Calibrate', 'Compare', 'Stop', 'IsMoving']);
  await expect(hand.input('name')).toHaveValue('hand');
  await expect(hand.input('name')).not.toBeEditable();
  await expect(hand.send).toBeDisabled();
  await hand.choose('IsMoving');
  await control.enable();
  await hand.send.click();
  await expect(hand.outcome).toHaveText(/^answered in [\d.]+ m?s$/);
});

test('every kind of field reaches the machine as it was typed, and the answer comes back', async ({ page }) => {
  const control = new ControlPage(page);
  const hand = handOf(control);
  await control.enable();
  await hand.choice('mode').selectOption('MODE_FIRM');
  await hand.choice('how').selectOption('profile');
  await hand.field('profile label').getByRole('textbox').fill('soft');
  await hand.check('Set profile lead').check();
  await hand.choice('profile lead side').selectOption('SIDE_RIGHT');
  await hand.add('fingers');
  await hand.input('fingers 1 offset_mm').fill('2,5');
  await hand.add('limits');
  await hand.input('Key of limits 1').fill('thumb');
  await hand.input('limits 1').fill('40');
  await hand.check('Set attempts').check();
  await hand.input('attempts').fill('3');
  await hand.check('keep_holding').check();
  await hand.input('key').fill('0a ff');
  await hand.check('Set timeout').check();
  await hand.input('timeout').fill('1.5');
  await hand.check('Set not_before').check();
  await hand.input('not_before').fill('2026-01-31T12:00:00Z');
  await hand.input('ticket').fill('9007199254740993');
  await hand.add('tags');
  await hand.input('tags 1').fill('red');
  await hand.check('Set extra').check();
  await hand.input('extra').fill('{"note":[1,null]}');
  await hand.send.click();
  await expect(hand.outcome).toHaveText(/^answered in/);
  const answer = JSON.parse((await hand.response.textContent()) ?? '') as Record<string, unknown>;
  expect(answer).toEqual({
    is_holding: true,
    received: {
      name: 'hand',
      mode: 'MODE_FIRM',
      profile: { label: 'soft', lead: { side: 'SIDE_RIGHT' } },
      fingers: [{ offset_mm: 2.5 }],
      limits: { thumb: 40 },
      attempts: 3,
      keep_holding: true,
      key: 'Cv8=',
      timeout: '1.500s',
      not_before: '2026-01-31T12:00:00Z',
      ticket: '9007199254740993',
      tags: ['red'],
      extra: { note: [1, null] },
    },
  });
  await hand.methods.first().scrollIntoViewIfNeeded();
  await checkLook(page, 'control-unknown-api');
});

test('a value out of its range is said at the field, and nothing is sent until it is right', async ({ page }) => {
  const control = new ControlPage(page);
  const hand = handOf(control);
  await control.enable();
  await hand.check('Set attempts').check();
  await hand.input('attempts').fill('-1');
  await expect(hand.field('attempts')).toContainText('Enter a value from 0 to 4294967295.');
  await hand.input('attempts').press('Enter');
  await expect(hand.refusal).toHaveText('Not sent: 1 field has a problem.');
  await expect(hand.result).toBeHidden();
  await hand.input('attempts').fill('1');
  await hand.input('attempts').press('Enter');
  await expect(hand.outcome).toHaveText(/^answered in/);
});

test('the request is one thing in two views: form to JSON and back', async ({ page }) => {
  const control = new ControlPage(page);
  const hand = handOf(control);
  await hand.choice('mode').selectOption('MODE_GENTLE');
  await hand.view('JSON');
  await expect(hand.request).toContainText('MODE_GENTLE');
  await hand.request.fill('{ "name": "hand", "tags": ["a", "b"], "force_n": 12 }');
  await hand.view('Form');
  await expect(hand.input('tags 2')).toHaveValue('b');
  await expect(hand.choice('how')).toHaveValue('force_n');
  await expect(hand.choice('mode')).toHaveValue('MODE_UNSPECIFIED');
  await hand.view('JSON');
  await hand.request.fill('{ "name": "hand", "fource": 12 }');
  await hand.view('Form');
  await expect(hand.refusal).toContainText('fource');
  await expect(hand.request).toBeVisible();
  await control.enable();
  await hand.request.fill('{ "name": "foot" }');
  await hand.send.click();
  await expect(hand.refusal).toHaveText('Not sent. This card calls hand; the request names "foot".');
});

test('an answer that is an error comes with its code and its sentence', async ({ page }) => {
  const control = new ControlPage(page);
  const hand = handOf(control);
  await control.enable();
  await hand.choice('how').selectOption('force_n');
  await hand.input('force_n').fill('250');
  await hand.send.click();
  await expect(hand.outcome).toContainText('OUT_OF_RANGE');
  await expect(hand.result).toContainText('250 N is more than the 200 N it can take.');
});

test('a stream of answers is listed with its count and rate, goes on beside other calls, and is cancelled', async ({
  page,
}) => {
  const control = new ControlPage(page);
  const hand = handOf(control);
  await hand.choose('WatchForce');
  await hand.input('interval_ms').fill('10');
  await control.enable();
  await hand.send.click();
  await expect(hand.answers.first()).toContainText('"force_n"');
  await expect(hand.result).toContainText(/\d+ answers, \d+(\.\d)? per s/);
  // More came than are kept, and no more are kept than that.
  await expect.poll(async () => Number(await hand.answers.last().locator('.number').textContent())).toBeGreaterThan(5);
  await expect(hand.answers).toHaveCount(100);
  await checkLook(page, 'control-stream');
  await hand.choose('IsMoving');
  await hand.send.click();
  await expect(hand.outcome).toHaveText(/^answered in/);
  await expect(hand.methods.filter({ hasText: 'WatchForce' })).toContainText('running');
  await hand.choose('WatchForce');
  await hand.cancel.click();
  await expect(hand.outcome).toHaveText(/^cancelled after/);
  await expect(hand.methods.filter({ hasText: 'WatchForce' })).not.toContainText('running');
});

test('a method that takes a stream is given a list of requests', async ({ page }) => {
  const control = new ControlPage(page);
  const hand = handOf(control);
  await hand.choose('Calibrate');
  await control.enable();
  await hand.request.fill('[{ "name": "hand", "sample": 1 }, { "name": "hand", "sample": 4 }]');
  await hand.send.click();
  await expect(hand.response).toHaveText('{ "count": 2, "mean": 2.5 }');
  await hand.choose('Compare');
  await hand.request.fill('{ "name": "hand" }');
  await hand.send.click();
  await expect(hand.refusal).toContainText('a JSON list of objects');
  await hand.request.fill('[{ "name": "hand", "sample": 1 }, { "name": "hand", "sample": 4 }]');
  await hand.send.click();
  await expect(hand.answers).toHaveText([/2.*4/, /1.*1/]);
});

test('switching control off cancels what runs and stops what was moved', { tag: '@smoke' }, async ({ page }) => {
  const control = new ControlPage(page);
  const hand = handOf(control);
  await control.enable();
  // Opens until somebody stops it.
  await hand.choose('Open');
  await hand.send.click();
  await expect(hand.outcome).toHaveText('sent');
  await control.enableSwitch.click();
  await expect(hand.outcome).toHaveText(/^cancelled after/);
  await expect(hand.send).toBeDisabled();
  await control.enable();
  await hand.choose('Grab');
  await hand.send.click();
  await expect(hand.response).toContainText('"stops": 1');
});
