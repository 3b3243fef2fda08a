import { expect, test } from '../../fixtures/machine-test.ts';
import { windowBench } from '../../fixtures/window-bench.ts';
import { ControlPage, type MotorCard } from '../../page-objects/control.ts';

test.use({ config: windowBench });

let right: MotorCard;

test.beforeEach(async ({ page }) => {
  right = await new ControlPage(page).openWith('right');
});

test('a number goes out by Enter, never by typing, by the wheel or by leaving the field', async ({ page }) => {
  await right.revolutions.fill('500');
  await right.revolutions.hover();
  await page.mouse.wheel(0, -400);
  await right.rpm.click();
  await right.rpm.fill('60');
  await right.rpm.blur();
  // What would have been sent is answered before this is.
  await right.zero.click();
  await expect(right.command).toContainText('zero here: done');
  await expect(right.revolutions).toHaveValue('500');
  expect(await right.value('power')).toBe(0);
  await expect(right.state).toHaveText('still');
  await right.rpm.press('Enter');
  await expect(right.state).toHaveText('moving');
  await expect(right.command).toContainText('going for 500.00 rev at 60 rpm');
});

test('limits are said while typing, and what is beyond them is not sent', async () => {
  await right.rpm.fill('121');
  await expect(right.card.getByText('from −120 to 120 rpm')).toBeVisible();
  await expect(right.go).toBeDisabled();
  await right.rpm.press('Enter');
  await right.rpm.fill('12o');
  await expect(right.card.getByText('not a number')).toBeVisible();
  await right.rpm.press('Enter');
  await right.rpm.fill('60');
  await expect(right.go).toBeEnabled();
  await right.zero.click();
  await expect(right.command).toContainText('zero here: done');
  await expect(right.state).toHaveText('still');
});

test('what is typed stands beside what is, with its age', async () => {
  await right.revolutions.fill('20');
  await expect(right.card.getByText(/^now −?0\.00 rev · \d/)).toBeVisible();
  await expect(right.card.getByText(/^now −?0 rpm · \d/)).toBeVisible();
});
