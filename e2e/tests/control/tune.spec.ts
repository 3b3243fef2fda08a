import { readFile } from 'node:fs/promises';
import { expect, test } from '../../fixtures/machine-test.ts';
import { windowBench } from '../../fixtures/window-bench.ts';
import { ConfigurePage } from '../../page-objects/configure.ts';
import { ControlPage } from '../../page-objects/control.ts';
import { checkLook } from '../../page-objects/look.ts';
import { Shell } from '../../page-objects/shell.ts';

test.use({ config: windowBench });

test('only a gpio motor with an encoder can be tuned, and only with control on', async ({ page }) => {
  await new Shell(page).open('Control');
  const control = new ControlPage(page);
  await expect(control.motor('right').state).toHaveText('still');
  await expect(control.motor('right').tuning.summary).toHaveCount(0);
  const { tuning } = control.motor('left');
  await tuning.open();
  await expect(tuning.start).toBeDisabled();
  await control.enable();
  await expect(tuning.start).toBeEnabled();
});

test('a motor is tuned, and what is proposed goes into the draft and is applied', async ({ page, machine }) => {
  test.slow();
  const shell = new Shell(page);
  const control = new ControlPage(page);
  const left = await control.openWith('left');
  const { tuning } = left;
  await tuning.open();
  await tuning.turns.fill('5');
  await tuning.start.click();
  await expect(tuning.card).toContainText('Forward: measuring the step');
  await expect(left.goal).not.toContainText('commanded elsewhere');
  await expect(tuning.card).toContainText('Backward: ');
  await expect(tuning.result).toBeVisible({ timeout: 30_000 });
  await expect(left.state).toHaveText('still');
  await expect.poll(async () => Math.abs(await left.value('position'))).toBeLessThan(0.2);
  const [proposed = '', present] = await tuning.gain('P');
  expect(Number(proposed)).toBeGreaterThan(0);
  expect(present).toBe('automatic');

  await tuning.time.focus();
  const before = await tuning.time.getAttribute('aria-valuetext');
  await page.keyboard.press('ArrowRight');
  await expect(tuning.time).not.toHaveAttribute('aria-valuetext', before ?? '');
  await checkLook(page, 'control-tuned');

  await tuning.use.click();
  await expect(tuning.use).toBeDisabled();
  await expect(tuning.result).toContainText('They are in the draft');
  await tuning.result.getByRole('link', { name: 'Go to the draft' }).click();
  const configure = new ConfigurePage(page);
  await configure.review();
  await expect(configure.plan).toContainText('left');
  await configure.applyPlan();
  await expect(configure.bar).toContainText('Applied.');
  expect(await readFile(machine.configPath, 'utf8')).toMatch(/"control_parameters": \{\s*"p": [\d.]+,\s*"i": [\d.]+/);
  await shell.open('Control');
  const again = await control.openWith('left');
  await again.revolutions.fill('1');
  await again.go.click();
  await expect(again.card).toContainText(/going for 1.00 rev at 60 rpm: done/);
});

test('Stop ends a measurement, the motor stands, and the card says so', async ({ page }) => {
  const left = await new ControlPage(page).openWith('left');
  const { tuning } = left;
  await tuning.open();
  await tuning.start.click();
  await expect.poll(() => left.value('position')).toBeGreaterThan(0.1);
  await tuning.stop.click();
  await expect(tuning.failure).toContainText('ended early and switched it off');
  await expect(left.state).toHaveText('still');
  await expect(tuning.start).toBeEnabled();
});

test('what cannot be measured is refused in words', async ({ page }) => {
  const left = await new ControlPage(page).openWith('left');
  await left.tuning.open();
  await left.tuning.turns.fill('0.06');
  await left.tuning.start.click();
  await expect(left.tuning.failure).toContainText('was cut short at 0.06 revolutions: raise max_revolutions');
});
