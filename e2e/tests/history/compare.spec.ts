import { expect, test } from '../../fixtures/history-test.ts';
import { windowBench } from '../../fixtures/window-bench.ts';
import { ConfigurePage } from '../../page-objects/configure.ts';
import { checkLook, keepPicture } from '../../page-objects/look.ts';
import { Shell } from '../../page-objects/shell.ts';

const right = '"attributes": { "board": "bench", "pins": { "dir": "16", "pwm": "15" }, "max_rpm": 120 }';
const slower = windowBench.replace(right, right.replace('120', '90'));
const rewired = windowBench.replace(right, right.replace('120', '90').replace('16', '18'));
const warmer = rewired.replace('"celsius": 21.5', '"celsius": 30');

test('any two versions are compared, by resource first and by line second', async ({ pair, history }) => {
  await pair.applyAll([windowBench, slower, rewired, warmer]);
  await history.open();
  // What is stored now beside what it was written from.
  await expect(history.pane(4)).toContainText('4 compared with');
  await expect(history.difference('climate')).toContainText('readings.celsius  30');
  await history.choose(3);
  await history.compareWith('1');
  const difference = history.difference('right');
  await expect(difference).toContainText('motor · gpio');
  await expect(difference.locator('del')).toContainText(['pins.dir  "16"', 'max_rpm  120']);
  await expect(difference.locator('ins')).toContainText(['pins.dir  "18"', 'max_rpm  90']);
  await expect(history.difference('climate')).toHaveCount(0);
  await history.showView('Text');
  await expect(history.textDiff).toContainText(/"dir": "16".*"max_rpm": 120/);
  await expect(history.textDiff).toContainText(/"dir": "18".*"max_rpm": 90/);
  await expect(history.textDiff).toContainText('equal lines');
  await history.showColumns('Side by side');
  await expect(history.textDiff).toContainText(/"dir": "16".*"max_rpm": 120/);
  // The address keeps it.
  await history.page.reload();
  await expect(history.pane(3)).toBeVisible();
  await expect(history.other).toHaveValue('1');
  await expect(history.textDiff).toContainText('"dir": "18"');
});

test('two versions are put beside each other in the list, by a button or with a key held', async ({
  pair,
  history,
}) => {
  await pair.applyAll([windowBench, slower, rewired]);
  await history.open();
  await history.choose(1);
  await history.row(2).hover();
  await history.row(2).getByRole('button', { name: 'Compare 1 with 2' }).click();
  await expect(history.other).toHaveValue('2');
  await expect(history.row(2)).toContainText('compared with');
  await history
    .row(3)
    .getByRole('gridcell')
    .first()
    .click({ modifiers: ['Control'] });
  await expect(history.other).toHaveValue('3');
  await expect(history.pane(1)).toBeVisible();
});

test('a version is compared with the draft, as it is typed', async ({ page, pair, history }) => {
  await pair.applyAll([windowBench, slower]);
  await history.open();
  const shell = new Shell(page);
  await shell.open('Configure');
  const configure = new ConfigurePage(page);
  await configure.replaceText(slower.replace('"celsius": 21.5', '"celsius": 19'));
  await shell.open('History');
  await history.choose(2);
  await history.compareWith('the draft');
  await expect(history.difference('climate').locator('del')).toContainText('readings.celsius  19');
  await expect(history.difference('climate').locator('ins')).toContainText('readings.celsius  21.5');
  await expect(history.restoreCard).toContainText('2 is in use');
  // The same draft, broken, is said to be.
  await shell.open('Configure');
  await configure.replaceText('{ "components": [');
  await shell.open('History');
  await history.choose(2);
  await history.compareWith('the draft');
  await expect(history.pane(2)).toContainText('One of the two texts is not valid JSON');
});

test('what a restore does to each resource is told beside its difference', async ({ pair, history }) => {
  await pair.applyAll([windowBench, rewired.replace('"fail_new": false', '"fail_new": false, "i2cs": []')]);
  await history.open();
  await history.choose(1);
  await expect(history.difference('right')).toContainText('restarts');
  await expect(history.difference('bench')).toContainText('restarts');
  // Not changed itself, and built again all the same.
  await expect(history.difference('left')).toContainText('Its own settings do not change: its board bench is rebuilt');
});

const pins = '"digital_interrupts": [{ "name": "enc-a", "pin": "21" }, { "name": "enc-b", "pin": "22" }]';
const tapped = windowBench.replace(
  pins,
  '"digital_interrupts": [{ "name": "enc-a", "pin": "21" }, { "name": "limit", "pin": "18" }, { "name": "enc-b", "pin": "23" }]',
);

test('lists are told by their items and a rename once: in the list, in the comparison and in the plan', async ({
  page,
  pair,
  history,
}) => {
  const renamed = tapped.replaceAll('"wheel"', '"wheel_enc"');
  await pair.applyAll([windowBench, tapped, renamed]);
  await history.open();
  const words = 'digital interrupts: added limit; changed enc-b';
  await expect(history.row(2)).toContainText(`bench: ${words}`);
  await expect(history.row(3)).toContainText('wheel → wheel_enc, 1 reference follows');
  await history.choose(3);
  await expect(history.difference('wheel → wheel_enc')).toContainText('renamed');
  await expect(history.difference('left')).toContainText('encoder wheel → wheel_enc');
  await history.choose(2);
  await history.compareWith('1');
  const difference = history.difference('bench');
  await expect(difference).toContainText(words);
  await expect(difference.locator('ins')).toContainText(['digital_interrupts.enc-b.pin  "23"']);
  await expect(difference).not.toContainText('[');
  await checkLook(page, 'history-words');
  await history.choose(1);
  await expect(history.restoreCard).toContainText('The new name restarts it: wheel_enc → wheel.');
  const shell = new Shell(page);
  await shell.open('Configure');
  const configure = new ConfigurePage(page);
  await configure.replaceText(windowBench);
  await configure.review();
  await expect(configure.plan).toContainText('wheel_enc → wheel');
  await expect(configure.plan).toContainText('digital interrupts: removed limit; changed enc-b');
  await expect(configure.plan).toContainText('encoder wheel_enc → wheel');
  await expect(configure.plan).not.toContainText('New');
  await keepPicture(page, 'plan-words');
});

test('a text of one line is compared formatted, and in the spelling of the file', async ({ page, pair, history }) => {
  const oneLine = windowBench.replace(/\n\s*/g, '').replace('21.5', '21.50');
  await pair.applyAll([
    windowBench,
    oneLine,
    oneLine.replace('"pwm": "15" }, "max_rpm": 120', '"pwm": "15" }, "max_rpm": 9e1'),
    slower,
  ]);
  await history.open();
  await history.choose(3);
  await history.compareWith('2');
  await history.showView('Text');
  await expect(history.pane(3)).toContainText('Formatted for comparison');
  await expect(history.textDiff.locator('.ins')).toHaveText(['+        "max_rpm": 9e1']);
  await expect(history.textDiff.locator('.del')).toHaveText(['−        "max_rpm": 120']);
  await expect(history.textDiff).not.toContainText('21.50');
  await checkLook(page, 'history-formatted');
  await history.compareWith('1');
  await expect(history.textDiff.locator('.ins')).toContainText(['"max_rpm": 9e1', '"celsius": 21.50']);
  // Two texts of many lines are compared as they are.
  await history.choose(4);
  await history.compareWith('1');
  await expect(history.textDiff).toContainText('{ "dir": "16", "pwm": "15" }, "max_rpm": 90');
  await expect(history.pane(4)).not.toContainText('Formatted for comparison');
});

test('an equal version is named by its number, and the choice shows its number in full', async ({ pair, history }) => {
  await pair.applyAll([windowBench, slower, windowBench]);
  await history.open();
  await history.choose(1);
  await expect(history.pane(1).getByText('Identical to 3.', { exact: true })).toBeVisible();
  await history.compareWith('2');
  await expect(history.other).toHaveValue('2');
  // The summary of the version stands behind its number, and gives way to it.
  const { inside, shown } = await history.page.evaluate<{ inside: number; shown: number }>(`(() => {
    const { scrollWidth, clientWidth } = document.querySelector('input[aria-label="Compared with"]');
    return { inside: scrollWidth, shown: clientWidth };
  })()`);
  expect(inside).toBeLessThanOrEqual(shown);
  expect(shown).toBeGreaterThan(30);
});
