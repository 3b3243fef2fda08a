import { expect, test } from '../../fixtures/machine-test.ts';
import { windowBench } from '../../fixtures/window-bench.ts';
import { ControlPage } from '../../page-objects/control.ts';
import { Shell } from '../../page-objects/shell.ts';

test.use({ config: windowBench });

test.beforeEach(async ({ page }) => {
  await new Shell(page).open('Control');
  await expect(new ControlPage(page).motor('left').state).toHaveText('still');
});

test('nothing can be moved before control is switched on', async ({ page }) => {
  const control = new ControlPage(page);
  await expect(control.enableSwitch).toHaveAttribute('aria-checked', 'false');
  await expect(control.motor('left').forward).toBeDisabled();
  await expect(control.motor('left').go).toBeDisabled();
});

test(
  'a motor turns while a button is held by the pointer, and stops on release',
  { tag: '@smoke' },
  async ({ page }) => {
    const control = new ControlPage(page);
    const left = control.motor('left');
    await control.enable();
    await left.forward.hover();
    await page.mouse.down();
    await expect(left.state).toHaveText('moving');
    await expect.poll(() => left.value('power')).toBeCloseTo(0.3, 1);
    await expect.poll(() => left.value('position')).toBeGreaterThan(0.1);
    await page.mouse.up();
    await expect(left.state).toHaveText('still');
    await expect.poll(() => left.value('power')).toBe(0);
  },
);

test('a motor turns back while Space is held, and stops on release', { tag: '@smoke' }, async ({ page }) => {
  const control = new ControlPage(page);
  const left = control.motor('left');
  await control.enable();
  await left.back.focus();
  await page.keyboard.down('Space');
  await expect.poll(() => left.value('power')).toBeCloseTo(-0.3, 1);
  await page.keyboard.up('Space');
  await expect.poll(() => left.value('power')).toBe(0);
  await expect(left.state).toHaveText('still');
});

test('Go turns by the distance and says when it is done', async ({ page }) => {
  const control = new ControlPage(page);
  const left = control.motor('left');
  await control.enable();
  await left.revolutions.fill('2');
  await left.rpm.fill('90');
  await left.go.click();
  // Exactly this: what is read aloud holds no running time.
  await expect(left.command).toHaveText(/^going for 2.00 rev at 90 rpm: (sent|accepted)$/);
  await expect(left.goal).toContainText('going for 2.00 rev at 90 rpm');
  await expect(left.command).toContainText('done in', { timeout: 20_000 });
  await expect.poll(() => left.value('position')).toBeGreaterThan(1.8);
});

test(
  'a position without an encoder is marked as estimated, one with an encoder is not',
  { tag: '@smoke' },
  async ({ page }) => {
    const control = new ControlPage(page);
    await expect(control.motor('right').estimatedMark).toBeVisible();
    await expect(control.motor('left').estimatedMark).toBeHidden();
  },
);
