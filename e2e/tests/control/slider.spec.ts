import { expect, test } from '../../fixtures/machine-test.ts';
import { windowBench } from '../../fixtures/window-bench.ts';
import { ControlPage, type MotorCard } from '../../page-objects/control.ts';
import { Shell } from '../../page-objects/shell.ts';

test.use({ config: windowBench });

let left: MotorCard;

test.beforeEach(async ({ page }) => {
  left = await new ControlPage(page).openWith('left');
});

/** A place on the slider, in pixels of the page. */
async function placeOf(power: number): Promise<{ x: number; y: number }> {
  const box = await left.track.boundingBox();
  if (box === null) throw new Error('the slider is not on the screen');
  return { x: box.x + ((power + 1) / 2) * box.width, y: box.y + box.height / 2 };
}

test('the power slider runs the motor while its thumb is dragged, and springs back', async ({ page }) => {
  await left.thumb.hover();
  await page.mouse.down();
  const half = await placeOf(-0.5);
  await page.mouse.move(half.x, half.y, { steps: 4 });
  await expect.poll(() => left.value('power')).toBeCloseTo(-0.5, 1);
  const less = await placeOf(-0.2);
  await page.mouse.move(less.x, less.y, { steps: 4 });
  await expect.poll(() => left.value('power')).toBeCloseTo(-0.2, 1);
  await page.mouse.up();
  await expect(left.state).toHaveText('still');
  await expect.poll(() => left.value('power')).toBe(0);
  await expect(left.command).toHaveText('Released: stopped');
});

test('a press beside the thumb of the power slider moves nothing', async ({ page }) => {
  const full = await placeOf(0.9);
  await page.mouse.move(full.x, full.y);
  await page.mouse.down();
  await page.mouse.move(full.x - 20, full.y);
  await left.zero.focus();
  await page.mouse.up();
  await left.zero.click();
  await expect(left.command).toContainText('zero here: done');
  await expect(left.state).toHaveText('still');
});

test('Esc stops a drag, and moving on does not start it again', async ({ page }) => {
  await left.thumb.hover();
  await page.mouse.down();
  const half = await placeOf(0.5);
  await page.mouse.move(half.x, half.y, { steps: 4 });
  await expect(left.state).toHaveText('moving');
  await page.keyboard.press('Escape');
  await expect(left.state).toHaveText('still');
  await page.mouse.move(half.x + 10, half.y, { steps: 4 });
  await expect(new Shell(page).stopOutcome).toContainText('All stopped');
  await expect.poll(() => left.value('power')).toBe(0);
  await page.mouse.up();
});
