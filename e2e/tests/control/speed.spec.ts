import { expect, test } from '../../fixtures/machine-test.ts';
import { windowBench } from '../../fixtures/window-bench.ts';
import { ControlPage } from '../../page-objects/control.ts';
import { Shell } from '../../page-objects/shell.ts';

test.use({ config: windowBench });

test.beforeEach(async ({ page }) => {
  await new Shell(page).open('Control');
  await expect(new ControlPage(page).motor('right').state).toHaveText('still');
});

test('a motor turns at a speed until it is told 0, and the speed is measured', { tag: '@smoke' }, async ({ page }) => {
  const control = new ControlPage(page);
  const right = control.motor('right');
  await control.enable();
  await right.choose('Turn');
  await right.rpm.fill('-90');
  await right.go.click();
  await expect(right.command).toHaveText('turning at −90 rpm: accepted');
  await expect.poll(() => right.value('speed')).toBeLessThan(-60);
  await expect(control.plot('right').line('commanded')).toContainText('−90 rpm');
  await right.rpm.fill('0');
  await right.rpm.press('Enter');
  await expect(right.state).toHaveText('still');
  await expect(right.command).toContainText('turning at −90 rpm: stopped after');
  await expect(control.plot('right').line('commanded')).toContainText(/commanded\s*0 rpm/);
});

test('a motor that somebody else moves says so', async ({ page, context, machine }) => {
  const control = new ControlPage(page);
  const right = control.motor('right');
  const other = await context.newPage();
  await other.goto(machine.pageUrl);
  await new Shell(other).open('Control');
  const theirs = new ControlPage(other);
  await theirs.enable();
  await theirs.motor('right').revolutions.fill('1000');
  await theirs.motor('right').go.click();
  await expect(theirs.motor('right').state).toHaveText('moving');
  await page.bringToFront();
  await expect(right.goal).toContainText('commanded elsewhere');
  await other.close();
  await expect(right.state).toHaveText('still');
  await expect(right.goal).not.toContainText('commanded elsewhere');
});
