import { expect, test } from '../../fixtures/history-test.ts';
import { windowBench } from '../../fixtures/window-bench.ts';
import { PausableChannel } from '../../harness/pausable-channel.ts';
import { MachineClient } from '../../harness/machine-client.ts';

const right = '"attributes": { "board": "bench", "pins": { "dir": "16", "pwm": "15" }, "max_rpm": 120 }';
const slower = windowBench.replace(right, right.replace('120', '90'));
/** As nobody's program would write it: what is restored is these bytes. */
const odd = `\uFEFF\n\n${windowBench.replace('"max_rpm": 120 }\n', '"max_rpm":   1.20e2 }\n').replace(/\n/g, '\r\n')}\r\n\t `;

test('a restore shows its plan, makes a new version of every byte, and brings the machine back', async ({
  page,
  pair,
  history,
}) => {
  await pair.applyAll([odd, slower, windowBench.replace(/,\n {4}\{ "name": "climate"[^\n]*/, '')]);
  await history.open();
  await history.choose(1);
  await expect(history.restoreCard).toContainText('Restoring 1 creates version 4');
  await expect(history.restoreCard).toContainText('climate is added.');
  await expect(history.restoreCard).toContainText('No module restarts. Nothing that is moving stops.');
  await history.restoreButton.click();
  await expect(history.restoreCard).toContainText(/Restored: version 4 has the text of 1 \(ready/);
  await expect(history.row(4)).toContainText('restored from 1');
  await expect(history.row(4)).toContainText('in use');
  expect(await pair.text(4)).toBe(odd);
  const client = new MachineClient(pair.machine);
  expect(await client.resourceNames()).toContain('sensor/climate');
  client.close();
  // What was left is there, and can be gone back to.
  await history.choose(3);
  await expect(history.restoreCard).toContainText('climate is removed.');
  await expect(page.getByText('4 versions')).toBeVisible();
});

test('what may stop a motor is said before, and on the button', async ({ pair, history }) => {
  await pair.applyAll([windowBench, windowBench.replace(right, right.replace('16', '18'))]);
  await history.open();
  await history.choose(1);
  await expect(history.restoreCard).toContainText('right stops if it is moving.');
  await expect(history.restoreButton).toHaveText('Stop and restore 1');
});

test('a version that the machine refuses cannot be restored, and what is wrong with it is said', async ({
  pair,
  history,
}) => {
  await pair.applyAll([windowBench]);
  await pair.push('{ "components": [], "components": [] }');
  await pair.settled();
  await pair.push(slower);
  await pair.settled();
  await history.open();
  await expect(history.row(2)).toContainText('refused');
  await history.choose(2);
  await expect(history.restoreCard).toContainText('the machine finds an error in it');
  await expect(history.restoreCard).toContainText('The key "components" is already there');
  await expect(history.restoreButton).toHaveAttribute('aria-disabled', 'true');
});

test('a restore onto what somebody stored a moment before is not done, and the plan is made anew', async ({
  page,
  pair,
  history,
}) => {
  const channel = await PausableChannel.on(page);
  await pair.applyAll([windowBench, slower]);
  await history.open();
  await history.choose(1);
  await expect(history.restoreCard).toContainText('right changes without stopping.');
  channel.pause();
  await pair.apply(slower.replace('"celsius": 21.5', '"celsius": 30'));
  await history.restoreButton.click();
  await expect(history.restoreCard).toContainText('Restoring 1 creates version 3');
  channel.resume();
  await expect(history.restoreCard).toContainText('Nothing was restored: another configuration was applied first');
  await expect(history.restoreCard).toContainText('Restoring 1 creates version 4');
  await expect(history.restoreCard).toContainText(/right and climate|climate and right/);
  await history.restoreButton.click();
  await expect(history.restoreCard).toContainText('Restored: version 4 has the text of 1');
});

test('the whole text is opened as the draft, in one step that undo takes back', async ({ page, pair, history }) => {
  await pair.applyAll([windowBench, slower]);
  await history.open();
  await history.choose(1);
  await history.draftButton.click();
  const bar = page.getByRole('region', { name: 'Changes that are not applied' });
  await expect(bar).toContainText('right');
  await expect(bar).toContainText('max_rpm 90 to 120');
  await bar.getByRole('button', { name: 'Undo: Version 1 as draft' }).click();
  await expect(bar).toContainText('Everything is applied.');
  expect((await pair.versions(10)).length).toBe(2);
});
