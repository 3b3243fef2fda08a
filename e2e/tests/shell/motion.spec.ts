import { expect, test } from '../../fixtures/machine-test.ts';
import { windowBench } from '../../fixtures/window-bench.ts';
import { ControlPage } from '../../page-objects/control.ts';
import { keepPicture } from '../../page-objects/look.ts';
import { screenNames, Shell } from '../../page-objects/shell.ts';

test.use({ config: windowBench });

/** Animations and transitions of the page that take longer than a frame. */
const animations = `document
  .getAnimations()
  .map((one) => one.effect.getComputedTiming())
  .filter(({ duration, iterations }) => Number(duration) * iterations > 16).length`;

test('with reduced motion nothing animates on any screen, and the switch is at once where it belongs', async ({
  page,
}) => {
  test.slow();
  await page.emulateMedia({ reducedMotion: 'reduce' });
  const shell = new Shell(page);
  for (const screen of screenNames) {
    await shell.open(screen);
    await expect(page.getByRole('main').getByRole('heading', { level: 1 })).toBeVisible();
    expect(await page.evaluate(animations), screen).toBe(0);
    await keepPicture(page, `reduced-motion-${screen.toLowerCase()}`);
  }
  await shell.open('Control');
  const control = new ControlPage(page);
  await control.enable();
  await expect(control.enableSwitch).toBeChecked();
  expect(await page.evaluate(animations)).toBe(0);
  await keepPicture(page, 'reduced-motion-enabled');
});
