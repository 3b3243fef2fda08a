import { readFile } from 'node:fs/promises';
import { expect, test } from '../../fixtures/machine-test.ts';
import { windowBench } from '../../fixtures/window-bench.ts';
import { ConfigurePage } from '../../page-objects/configure.ts';
import { checkLook } from '../../page-objects/look.ts';
import { Shell } from '../../page-objects/shell.ts';

test.use({ config: windowBench });

const withoutRight = (text: string): string => text.replace(/ {4}\{\n {6}"name": "right"[\s\S]*?\n {4}\},\n/, '');
const changed = withoutRight(windowBench).replace('"celsius": 21.5', '"celsius": 30');

test(
  'Apply shows the plan first, applies only when told to, and writes the text byte for byte',
  { tag: '@smoke' },
  async ({ page, machine }) => {
    const configure = new ConfigurePage(page);
    await configure.replaceText(changed);
    await configure.review();
    await expect(configure.plan).toContainText('Removed');
    await expect(configure.plan).toContainText('right');
    await expect(configure.plan).toContainText('climate');
    expect(await readFile(machine.configPath, 'utf8')).toBe(windowBench);
    await checkLook(page, 'configure-plan');
    await configure.applyPlan();
    await expect(configure.bar).toContainText('Applied. All 4 ready in');
    await expect(configure.resource('right')).toBeHidden();
    expect(await readFile(machine.configPath, 'utf8')).toBe(changed);
  },
);

test('going back from the plan changes nothing', async ({ page, machine }) => {
  const configure = new ConfigurePage(page);
  await configure.replaceText(changed);
  await configure.review();
  await configure.plan.getByRole('button', { name: 'Back to editing' }).click();
  await expect(configure.plan).toBeHidden();
  await expect(configure.reviewButton).toBeFocused();
  await expect(configure.bar).toContainText('removed');
  expect(await readFile(machine.configPath, 'utf8')).toBe(windowBench);
});

test('a draft outlives a reload', async ({ page }) => {
  const configure = new ConfigurePage(page);
  await configure.replaceText(changed);
  await expect(configure.reviewButton).toHaveAttribute('aria-disabled', 'false');
  page.on('dialog', (dialog) => void dialog.accept());
  await page.reload();
  await expect(page.getByText('Your changes from before the reload are back.')).toBeVisible();
  await expect(configure.reviewButton).toBeVisible();
});

test('another window that changes nothing leaves the kept draft of this one', async ({ page, context, machine }) => {
  const configure = new ConfigurePage(page);
  const other = new ConfigurePage(await context.newPage());
  await other.page.goto(machine.pageUrl);
  await expect(other.bar).toContainText('Everything is applied');
  await configure.replaceText(changed);
  await expect(configure.reviewButton).toHaveAttribute('aria-disabled', 'false');
  await machine.writeConfig(windowBench.replace('21.5', '28.25'));
  await expect(other.bar).toContainText('Everything is applied');
  await other.open('climate');
  await other.openText();
  await expect(other.editor).toContainText('28.25');
  await expect(configure.conflictFields).toHaveText([/^climate readings/]);
  // Crashed pages say no goodbye.
  const kept = await other.page.evaluate(
    `new Promise((resolve) => setTimeout(() => resolve({ ...localStorage }), 600))`,
  );
  expect(Object.values(kept as Record<string, string>).some((text) => text.includes('celsius'))).toBe(true);
});

test('a change of the file is followed while nothing is typed', { tag: '@smoke' }, async ({ page, machine }) => {
  const configure = new ConfigurePage(page);
  await configure.open('climate');
  await configure.openText();
  await expect(configure.editor).toContainText('21.5');
  await machine.writeConfig(windowBench.replace('21.5', '28.25'));
  await expect(configure.editor).toContainText('28.25');
  await expect(configure.bar).toContainText('Everything is applied');
});

test('a change from elsewhere while typing joins the draft, and overwrites nothing', async ({ page, machine }) => {
  const configure = new ConfigurePage(page);
  await configure.replaceText(changed);
  await configure.resource('climate').click();
  const theirs = windowBench.replace('"max_rpm": 120 }\n', '"max_rpm": 90 }\n');
  await machine.writeConfig(theirs);
  await expect(configure.takenIn).toContainText('bench');
  await expect(configure.editor).toContainText('"celsius": 30');
  expect(await readFile(machine.configPath, 'utf8')).toBe(theirs);
  await configure.review();
  await configure.applyPlan();
  await expect(configure.bar).toContainText('Applied');
  await expect(configure.takenIn).toBeHidden();
  expect(await readFile(machine.configPath, 'utf8')).toBe(changed.replace('"max_rpm": 120 }\n', '"max_rpm": 90 }\n'));
});

test('the screen is accessible in both themes, clean and with changes', async ({ page }) => {
  const configure = new ConfigurePage(page);
  await expect(new Shell(page).machine).toContainText('5 of 5 ready');
  await configure.openText();
  await expect(configure.problems).toContainText('No problems');
  await checkLook(page, 'configure');
  await configure.replaceText(changed.replace('"fail_new": false', '"fail_new": 7'));
  await expect(configure.problems).toContainText('1 error');
  await checkLook(page, 'configure-problem');
});
