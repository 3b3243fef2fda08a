import { readFile } from 'node:fs/promises';
import { expect, test } from '../../fixtures/machine-test.ts';
import { windowBench } from '../../fixtures/window-bench.ts';
import { ApplyBar } from '../../page-objects/apply-bar.ts';
import { ConfigurePage } from '../../page-objects/configure.ts';
import { checkLook } from '../../page-objects/look.ts';

test.use({ config: windowBench });

const broken = windowBench.replace('"fail_new": false', '"fail_new": true');

/** Applies the text that keeps the board from starting. */
async function applyBroken(configure: ConfigurePage, apply: ApplyBar, time: string): Promise<void> {
  await configure.replaceText(broken);
  await expect(apply.applyButton).toHaveAttribute('aria-disabled', 'false');
  await apply.returnAfter(time);
  await apply.applyButton.click();
  await apply.plan.getByRole('button', { name: /apply/i }).click();
}

test('an apply that broke something is no success: it says what failed, goes back, and keeps the text', async ({
  page,
  machine,
}) => {
  const configure = new ConfigurePage(page);
  const apply = new ApplyBar(page);
  await applyBroken(configure, apply, '10 s');
  await expect(apply.progressOf('bench')).toContainText('failed');
  await expect(apply.progressOf('bench')).toContainText('fail_new');
  await expect(apply.progress).toContainText(/goes back to the previous configuration in \d+ s/);
  await expect(apply.bar).not.toContainText('All 5 ready');
  await expect(apply.returned).toContainText('not ready in 10 s', { timeout: 20_000 });
  expect(await readFile(machine.configPath, 'utf8')).toBe(windowBench);
  await expect(apply.progress).toBeHidden();
  await expect(apply.returned).toContainText('Your changes are the draft again');
  await expect(configure.editor).toContainText('"fail_new": true');
  await expect(apply.bar).toContainText('bench');
  await expect(apply.returned.getByRole('link', { name: 'Logs of bench' })).toBeVisible();
  await checkLook(page, 'returned');
});

test('the trial is shown with what it waits for, and a person may keep the new one anyway', async ({
  page,
  machine,
}) => {
  const configure = new ConfigurePage(page);
  const apply = new ApplyBar(page);
  await applyBroken(configure, apply, '5 min');
  await expect(apply.progressOf('left')).toContainText('waiting');
  await expect(apply.progressOf('bench').getByRole('link', { name: 'Logs of bench' })).toBeVisible();
  await checkLook(page, 'trial');
  await apply.keepAnyway.click();
  await expect(apply.keepAnyway).toBeHidden();
  await expect(apply.bar).toContainText('Applied. bench failed.');
  await expect(apply.progressOf('bench')).toContainText('failed');
  expect(await readFile(machine.configPath, 'utf8')).toBe(broken);
});

test('a person may go back at once', { tag: '@smoke' }, async ({ page, machine }) => {
  const configure = new ConfigurePage(page);
  const apply = new ApplyBar(page);
  await applyBroken(configure, apply, '5 min');
  await apply.goBackNow.click();
  await expect(apply.returned).toContainText('on request');
  await expect(configure.editor).toContainText('"fail_new": true');
  expect(await readFile(machine.configPath, 'utf8')).toBe(windowBench);
});

test('what is mended during the trial is kept by itself', async ({ page, machine }) => {
  const configure = new ConfigurePage(page);
  const apply = new ApplyBar(page);
  await applyBroken(configure, apply, '5 min');
  await expect(apply.progressOf('bench')).toContainText('failed');
  const mended = windowBench.replace('21.5', '22.5');
  await configure.replaceText(mended);
  await expect(apply.applyButton).toHaveAttribute('aria-disabled', 'false');
  await apply.applyButton.click();
  await apply.plan.getByRole('button', { name: /apply/i }).click();
  await expect(apply.bar).toContainText('Applied. All 5 ready in');
  await expect(apply.progress).toBeHidden();
  expect(await readFile(machine.configPath, 'utf8')).toBe(mended);
});

test('a page that is opened later offers the text that was left, and overwrites no draft with it', async ({
  page,
  context,
  machine,
}) => {
  const configure = new ConfigurePage(page);
  const apply = new ApplyBar(page);
  await applyBroken(configure, apply, '5 min');
  await apply.goBackNow.click();
  await expect(apply.returned).toBeVisible();
  await apply.bar.getByRole('button', { name: 'Discard' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Discard' }).click();

  const later = await context.newPage();
  await later.goto(machine.pageUrl);
  const [theirs, theirApply] = [new ConfigurePage(later), new ApplyBar(later)];
  await expect(theirApply.bar).toContainText('Everything is applied');
  await theirs.replaceText(windowBench.replace('21.5', '25'));
  await expect(theirApply.returned).toContainText('once your own changes are applied or discarded');
  await expect(theirApply.takeAsDraft).toBeHidden();
  await theirApply.bar.getByRole('button', { name: 'Discard' }).click();
  await later.getByRole('dialog').getByRole('button', { name: 'Discard' }).click();
  await theirApply.takeAsDraft.click();
  await expect(theirs.editor).toContainText('"fail_new": true');
  await expect(theirApply.returned).toContainText('Your changes are the draft again');
});

test('without a way back it stays, and says what failed', async ({ page, machine }) => {
  const configure = new ConfigurePage(page);
  const apply = new ApplyBar(page);
  await applyBroken(configure, apply, 'never');
  await expect(apply.bar).toContainText('Applied. bench failed.');
  await expect(apply.progressOf('bench')).toContainText('fail_new');
  await expect(apply.keepAnyway).toBeHidden();
  expect(await readFile(machine.configPath, 'utf8')).toBe(broken);
});
