import { expect, test } from '../../fixtures/machine-test.ts';
import { windowBench } from '../../fixtures/window-bench.ts';
import { ControlPage, type MotorCard } from '../../page-objects/control.ts';
import { Shell } from '../../page-objects/shell.ts';

test.use({ config: windowBench });

/** Sets a motor going for so long that only a stop ends it. */
async function turn(control: ControlPage, motor: MotorCard): Promise<void> {
  await control.enable();
  await motor.revolutions.fill('1000');
  await motor.rpm.fill('60');
  await motor.go.click();
  await expect(motor.state).toHaveText('moving');
}

test.beforeEach(async ({ page }) => {
  await new Shell(page).open('Control');
});

test('Stop all stops everything', { tag: '@smoke' }, async ({ page }) => {
  const control = new ControlPage(page);
  const right = control.motor('right');
  await turn(control, right);
  await new Shell(page).stopAll.click();
  await expect(right.state).toHaveText('still');
  await expect(new Shell(page).stopOutcome).toContainText('All stopped');
});

test('Esc stops everything, also from another screen', { tag: '@smoke' }, async ({ page }) => {
  const control = new ControlPage(page);
  await turn(control, control.motor('right'));
  await page.keyboard.press('Escape');
  await expect(control.motor('right').state).toHaveText('still');
  await new Shell(page).open('Logs');
  await page.keyboard.press('Escape');
  await expect(new Shell(page).stopOutcome).toContainText('All stopped');
});

test("a motor's own Stop stops it and says after how long", async ({ page }) => {
  const control = new ControlPage(page);
  const right = control.motor('right');
  await turn(control, right);
  await right.stop.click();
  await expect(right.state).toHaveText('still');
  await expect(right.command).toContainText('stopped after');
});

test('leaving the screen switches control off and stops what was moved', async ({ page }) => {
  const control = new ControlPage(page);
  await turn(control, control.motor('right'));
  await new Shell(page).open('Logs');
  await new Shell(page).open('Control');
  await expect(control.enableSwitch).toHaveAttribute('aria-checked', 'false');
  await expect(page.getByText('Control is off: you left the page.')).toBeVisible();
  await expect(control.motor('right').state).toHaveText('still');
});

test('closing the window stops what was moved', { tag: '@smoke' }, async ({ page, context, machine }) => {
  const control = new ControlPage(page);
  await turn(control, control.motor('right'));
  const watcher = await context.newPage();
  await watcher.goto(machine.pageUrl);
  await new Shell(watcher).open('Control');
  await page.close();
  await expect(new ControlPage(watcher).motor('right').state).toHaveText('still');
});
