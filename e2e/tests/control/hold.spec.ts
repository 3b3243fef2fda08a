import { expect, test } from '../../fixtures/machine-test.ts';
import { windowBench } from '../../fixtures/window-bench.ts';
import { ControlPage, type MotorCard } from '../../page-objects/control.ts';
import { Shell } from '../../page-objects/shell.ts';

test.use({ config: windowBench });

let control: ControlPage;
let left: MotorCard;

test.beforeEach(async ({ page }) => {
  control = new ControlPage(page);
  left = await control.openWith('left');
});

test('letting the left mouse button go stops, though another button is still down', async ({ page }) => {
  await left.forward.hover();
  await page.mouse.down();
  await page.mouse.down({ button: 'right' });
  await expect(left.state).toHaveText('moving');
  await page.mouse.up();
  await expect(left.state).toHaveText('still');
});

test('a window that loses the focus stops what is held, and a repeated key does not start it again', async ({
  page,
}) => {
  await left.forward.focus();
  await page.keyboard.down('Space');
  await expect(left.state).toHaveText('moving');
  await page.evaluate(`window.dispatchEvent(new Event('blur'))`);
  await expect(left.state).toHaveText('still');
  // Held down, a key repeats: pressed again without having been let go.
  await page.keyboard.down('Space');
  await page.keyboard.down('Space');
  await expect(control.motor('right').state).toHaveText('still');
  await expect.poll(() => left.value('power')).toBe(0);
  await page.keyboard.up('Space');
});

test('a pointer that slides off the button keeps it held, and lets go wherever it is released', async ({ page }) => {
  await left.forward.hover();
  await page.mouse.down();
  await page.mouse.move(5, 300);
  await expect(left.state).toHaveText('moving');
  await page.mouse.up();
  await expect(left.state).toHaveText('still');
});

test('holding a button ends a Go without calling that a failure', async ({ page }) => {
  await left.revolutions.fill('1000');
  await left.go.click();
  await expect(left.state).toHaveText('moving');
  await left.forward.hover();
  await page.mouse.down();
  await expect(left.command).toContainText('while held');
  await expect.poll(() => left.value('power')).toBeCloseTo(0.3, 1);
  await expect(left.command).toContainText('while held');
  await page.mouse.up();
  await expect(left.state).toHaveText('still');
  await expect(left.command).not.toContainText('failed');
});

test('Stop all ends a Go and says that it was stopped', async ({ page }) => {
  await left.revolutions.fill('1000');
  await left.go.click();
  await expect(left.state).toHaveText('moving');
  await new Shell(page).stopAll.click();
  await expect(left.state).toHaveText('still');
  await expect(left.command).toContainText('stopped after');
});

test('Esc stops everything while a button is held, and it does not start again', async ({ page }) => {
  await left.forward.hover();
  await page.mouse.down();
  await expect(left.state).toHaveText('moving');
  await page.keyboard.press('Escape');
  await expect(left.state).toHaveText('still');
  await expect(new Shell(page).stopOutcome).toContainText('All stopped');
  await page.mouse.move(5, 300);
  await expect.poll(() => left.value('power')).toBe(0);
  await page.mouse.up();
});

test('what a pin was set to goes back to low when control goes off', async () => {
  const bench = control.board('bench');
  await bench.addPin('37');
  await bench.setPin('37', 'high');
  await expect(bench.pinValue('37')).toContainText('high');
  await bench.addPin('38');
  await bench.setDuty('38', '45');
  await expect(bench.pinValue('38')).toContainText('45.0 %');
  await control.enableSwitch.click();
  await bench.readPin('37');
  await expect(bench.pinValue('37')).toContainText('low');
  await bench.readPin('38');
  await expect(bench.pinValue('38')).toContainText('0.0 %');
});
