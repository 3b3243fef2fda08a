import { expect, test } from '../../fixtures/machine-test.ts';
import { CommandPanel } from '../../page-objects/commands.ts';
import { ControlPage } from '../../page-objects/control.ts';
import { checkLook } from '../../page-objects/look.ts';
import { Shell } from '../../page-objects/shell.ts';

test.use({
  config: JSON.stringify({
    // A busy computer may be silent for longer than the usual window, which is not what these tests are about.
    network: { bind_address: 'localhost:0', sessions: { heartbeat_window: '30s' } },
    components: [
      { name: 'notes', api: 'core:component:generic', model: 'fake' },
      {
        name: 'bench',
        api: 'core:component:board',
        model: 'fake',
        attributes: { fail_new: false, simulated_motors: [{ pins: { dir: '16', pwm: '15' }, max_rpm: 120 }] },
      },
    ],
    services: [{ name: 'planner', api: 'core:service:generic', model: 'fake' }],
  }),
});

test.beforeEach(async ({ page }) => {
  await new Shell(page).open('Control');
});

test('a command goes to the model while control is on, and its answer comes with the time it took', async ({
  page,
}) => {
  const control = new ControlPage(page);
  const notes = new CommandPanel(control.card('notes'));
  await notes.write('{ "led": "on", "levels": [1, 2.5] }');
  await expect(notes.send).toBeDisabled();
  await control.enable();
  await notes.send.click();
  await expect(notes.outcome).toHaveText(/^answered in [\d.]+ m?s$/);
  // The fake answers a command with itself.
  await expect(notes.response).toHaveText('{ "led": "on", "levels": [ 1, 2.5 ] }');
  await checkLook(page, 'control-generic');
});

test('a generic service is commanded like a component, with Ctrl+Enter', async ({ page }) => {
  const control = new ControlPage(page);
  const planner = new CommandPanel(control.card('planner'));
  await control.enable();
  await planner.write('{"plan":1}');
  await planner.editor.press('Control+Enter');
  await expect(planner.response).toHaveText('{ "plan": 1 }');
});

test('what is no JSON object is said with its line and is never sent', async ({ page }) => {
  const control = new ControlPage(page);
  const notes = new CommandPanel(control.card('notes'));
  await control.enable();
  await notes.write('{\n  "led": on\n}');
  await notes.send.click();
  await expect(notes.refusal).toHaveText(/^Not sent\. Line 2: .*on/);
  await notes.write('[1]');
  await notes.send.click();
  await expect(notes.refusal).toContainText('A command is a JSON object');
  await expect(notes.result).toBeHidden();
  await expect(notes.history).toBeHidden();
});

test('earlier commands come back from the list, by Alt+Up, and after a reload', async ({ page }) => {
  const control = new ControlPage(page);
  const notes = new CommandPanel(control.card('notes'));
  await control.enable();
  for (const text of ['{"step":1}', '{"step":2}']) {
    await notes.write(text);
    await notes.send.click();
    await expect(notes.response).toContainText(text.slice(8, 9));
  }
  await notes.write('{"draft":true}');
  await notes.editor.press('Alt+ArrowUp');
  await expect(notes.editor).toContainText('{"step":2}');
  await notes.editor.press('Alt+ArrowUp');
  await expect(notes.editor).toContainText('{"step":1}');
  await notes.editor.press('Alt+ArrowDown');
  await notes.editor.press('Alt+ArrowDown');
  await expect(notes.editor).toContainText('{"draft":true}');
  await page.reload();
  await expect(notes.history).toHaveText('History (2)');
  await notes.history.click();
  await expect(notes.past).toHaveText([/\{"step":2\}$/, /\{"step":1\}$/]);
  await notes.past.last().click();
  await expect(notes.editor).toContainText('{"step":1}');
});

test('other cards have DoCommand folded away; an error comes with its code and can be copied', async ({
  page,
  context,
}) => {
  await context.grantPermissions(['clipboard-read', 'clipboard-write']);
  const control = new ControlPage(page);
  const bench = new CommandPanel(control.card('bench'));
  await expect(bench.editor).toBeHidden();
  await bench.fold.click();
  await control.enable();
  await bench.write('{ "simulated_motor": 7 }');
  await bench.send.click();
  await expect(bench.outcome).toContainText('INVALID_ARGUMENT');
  await expect(bench.result).toContainText('simulated_motor');
  await bench.result.getByRole('button', { name: 'Copy details' }).click();
  await expect(bench.result).toContainText('Copied');
  const copied = JSON.parse(await page.evaluate('navigator.clipboard.readText()')) as Record<string, unknown>;
  expect(copied).toMatchObject({ method: 'DoCommand', code: 'INVALID_ARGUMENT', request: '{"simulated_motor":7}' });
  await bench.write('{ "simulated_motor": 0 }');
  await bench.send.click();
  await expect(bench.response).toContainText('rpm');
});
