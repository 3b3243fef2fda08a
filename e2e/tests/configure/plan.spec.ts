import { readFile } from 'node:fs/promises';
import { expect, test } from '../../fixtures/machine-test.ts';
import { windowBench } from '../../fixtures/window-bench.ts';
import { ApplyBar } from '../../page-objects/apply-bar.ts';
import { ConfigurePage } from '../../page-objects/configure.ts';
import { checkLook } from '../../page-objects/look.ts';

test.use({ config: windowBench });

const gentle = windowBench.replace('"celsius": 21.5', '"celsius": 30');
const right = '"attributes": { "board": "bench", "pins": { "dir": "16", "pwm": "15" }, "max_rpm": 120 }';
const rewired = windowBench.replace(right, right.replace('"16"', '"18"'));
const faster = windowBench.replace(right, right.replace('120', '90, "pwm_freq": 900'));

test(
  'the bar says how much changes in what, and that nothing stops, and applies that at once',
  { tag: '@smoke' },
  async ({ page, machine }) => {
    const configure = new ConfigurePage(page);
    const apply = new ApplyBar(page);
    await configure.replaceText(faster);
    await expect(apply.bar).toContainText('2 changes to right');
    await expect(apply.bar).toContainText('nothing stops');
    await expect(apply.bar).toContainText('max_rpm');
    await checkLook(page, 'apply-bar');
    await apply.applyButton.click();
    await expect(apply.bar).toContainText(/Applied\. All 5 ready in [\d.]+ m?s/);
    await expect(apply.plan).toBeHidden();
    expect(await readFile(machine.configPath, 'utf8')).toBe(faster);
  },
);

test('what may stop a motor is shown before it is done', async ({ page, machine }) => {
  const configure = new ConfigurePage(page);
  const apply = new ApplyBar(page);
  await configure.replaceText(rewired);
  await expect(apply.bar).toContainText('right stops');
  await apply.applyButton.click();
  await expect(apply.plan).toContainText('Rebuilt');
  await expect(apply.plan).toContainText('stops if it moves');
  expect(await readFile(machine.configPath, 'utf8')).toBe(windowBench);
  await apply.plan.getByText('The text, line by line').click();
  await expect(apply.plan.getByRole('group', { name: 'The text, line by line' })).toContainText('"dir": "18"');
  await checkLook(page, 'plan-with-text');
  await apply.plan.getByRole('button', { name: 'Stop and apply' }).click();
  await expect(apply.bar).toContainText('Applied. All 5 ready in');
  expect(await readFile(machine.configPath, 'utf8')).toBe(rewired);
});

test('Ctrl+S applies while typing, and shows first what removes something', async ({ page, machine }) => {
  const configure = new ConfigurePage(page);
  const apply = new ApplyBar(page);
  await configure.replaceText(gentle);
  await expect(apply.applyButton).toHaveAttribute('aria-disabled', 'false');
  await page.keyboard.press('ControlOrMeta+s');
  await expect(apply.bar).toContainText('Applied. All 5 ready in');
  await configure.replaceText(gentle.replace(/,\n {4}\{ "name": "climate"[^\n]*/, ''));
  await expect(apply.bar).toContainText('climate is removed');
  await page.keyboard.press('ControlOrMeta+s');
  await expect(apply.plan).toContainText('Removed');
  expect(await readFile(machine.configPath, 'utf8')).toBe(gentle);
});

test('an error is named in the bar, leads to its place, and holds Apply back', async ({ page, machine }) => {
  const configure = new ConfigurePage(page);
  const apply = new ApplyBar(page);
  await configure.replaceText(windowBench.replace('"fail_new": false', '"fail_new": 7'));
  await expect(apply.bar).toContainText('Change to bench');
  await expect(apply.bar).toContainText('1 problem: Fail at start');
  await expect(apply.applyButton).toHaveAttribute('aria-disabled', 'true');
  await apply.bar.getByRole('button', { name: '1 problem: Fail at start' }).click();
  await expect(configure.editor).toBeFocused();
  // It says that it is disabled, and stays where the keyboard finds it.
  await apply.applyButton.click({ force: true });
  await expect(configure.editor).toBeFocused();
  expect(await readFile(machine.configPath, 'utf8')).toBe(windowBench);
});

test('what is missing is named in the bar, and leads to its field', async ({ page }) => {
  const configure = new ConfigurePage(page);
  const apply = new ApplyBar(page);
  await configure.open('right');
  await configure.maxSpeed.fill('');
  await apply.bar.getByRole('button', { name: 'Still needed: Max speed' }).click();
  await expect(configure.maxSpeed).toBeFocused();
});

test('what is typed while an apply runs stays a change', async ({ page, machine }) => {
  const configure = new ConfigurePage(page);
  const apply = new ApplyBar(page);
  await configure.replaceText(gentle);
  await expect(apply.applyButton).toHaveAttribute('aria-disabled', 'false');
  await apply.applyButton.click();
  await configure.editor.press('ControlOrMeta+End');
  await page.keyboard.type('  ');
  await expect(apply.bar).toContainText('Only the text changes');
  expect(await readFile(machine.configPath, 'utf8')).toBe(gentle);
});

test('the time to return is chosen in the bar and kept in this browser', async ({ page }) => {
  const configure = new ConfigurePage(page);
  const apply = new ApplyBar(page);
  await configure.replaceText(gentle);
  await expect(apply.bar).toContainText('Goes back if something');
  await apply.returnAfter('never');
  await expect(apply.bar).toContainText('Stays applied');
  page.on('dialog', (dialog) => void dialog.accept());
  await page.reload();
  await expect(apply.bar).toContainText('Stays applied');
});
