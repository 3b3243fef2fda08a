import { expect, test } from '../../fixtures/machine-test.ts';
import { windowBench } from '../../fixtures/window-bench.ts';
import { ControlPage } from '../../page-objects/control.ts';
import { Shell } from '../../page-objects/shell.ts';

test.use({ config: windowBench });

test('what is left out is counted, said once, and forgotten by Reset', async ({ page, watchRelay }) => {
  await new Shell(page).open('Control');
  const plot = new ControlPage(page).plot('left');
  await expect(plot.line('actual')).toContainText('rpm');
  await expect(plot.figure).toContainText('0 dropped');
  await expect(plot.notice).toBeHidden();
  let leftOut = 2;
  watchRelay.change = (update, resource) => {
    if (update.id !== 'position' || resource !== 'core:component:motor/left' || leftOut === 0) return update;
    leftOut -= 1;
    return { ...update, skipped: 3 };
  };
  await expect(plot.figure).toContainText('6 dropped');
  await expect(plot.notice).toContainText('Some values are missing');
  await plot.press('Dismiss');
  await expect(plot.notice).toBeHidden();
  leftOut = 1;
  await expect(plot.figure).toContainText('9 dropped');
  await expect(plot.notice).toBeHidden();
  await plot.press('Reset');
  await expect(plot.figure).toContainText('0 dropped');
});

test('a plot is drawn on, is held by Pause, and goes on', async ({ page }) => {
  await new Shell(page).open('Control');
  const plot = new ControlPage(page).plot('bench');
  await expect(plot.line('pot')).toContainText(/\d raw/);
  const first = await plot.picture();
  await expect.poll(() => plot.picture()).not.toBe(first);
  await plot.press('Pause');
  const held = await plot.picture();
  const before = await new ControlPage(page).board('bench').analog('pot').innerText();
  await expect(new ControlPage(page).board('bench').analog('pot')).not.toHaveText(before);
  expect(await plot.picture()).toBe(held);
  await plot.press('Live');
  await expect.poll(() => plot.picture()).not.toBe(held);
});

test('a plot is drawn in the colours of the theme that is chosen', async ({ page }) => {
  const shell = new Shell(page);
  await shell.chooseTheme('Light');
  await shell.open('Control');
  const plot = new ControlPage(page).plot('bench');
  await expect(plot.line('pot')).toContainText(/\d raw/);
  await plot.press('Pause');
  const first = await plot.picture();
  await shell.chooseTheme('Dark');
  await expect.poll(() => plot.picture()).not.toBe(first);
  const dark = await plot.picture();
  await shell.chooseTheme('Light');
  await expect.poll(() => plot.picture()).not.toBe(dark);
  await shell.chooseTheme('Dark');
  await expect.poll(() => plot.picture()).toBe(dark);
});

test('the time that a plot shows can be chosen, and what was before is there', async ({ page }) => {
  await new Shell(page).open('Control');
  const plot = new ControlPage(page).plot('bench');
  await expect(plot.line('pot')).toContainText(/\d raw/);
  await expect(plot.window).toHaveValue('30000');
  await plot.press('Pause');
  const first = await plot.picture();
  await plot.window.selectOption('10 s');
  await expect.poll(() => plot.picture()).not.toBe(first);
  const short = await plot.picture();
  await plot.window.selectOption('30 s');
  await expect.poll(() => plot.picture()).not.toBe(short);
  await plot.window.selectOption('10 s');
  await expect.poll(() => plot.picture()).toBe(short);
});

test('a card that is not seen asks once a second', async ({ page, watchRelay }) => {
  await page.setViewportSize({ width: 1000, height: 420 });
  await new Shell(page).open('Control');
  const control = new ControlPage(page);
  await expect.poll(() => watchRelay.paceOf('core:component:motor/left')).toMatchObject({ GetPosition: 50 });
  await expect.poll(() => watchRelay.paceOf('core:component:board/bench')).toMatchObject({ ReadAnalogReader: 1 });
  await control.card('bench').scrollIntoViewIfNeeded();
  await expect.poll(() => watchRelay.paceOf('core:component:board/bench')).toMatchObject({ ReadAnalogReader: 50 });
  await expect.poll(() => watchRelay.paceOf('core:component:motor/left')).toMatchObject({ GetPosition: 1 });
});

test('cards that are not shown leave no stream open', async ({ page, watchRelay }) => {
  await new Shell(page).open('Control');
  const control = new ControlPage(page);
  await expect.poll(() => watchRelay.open.size).toBe(5);
  for (let round = 0; round < 5; round++) {
    await control.show('Others');
    await expect.poll(() => watchRelay.open.size).toBe(0);
    await control.show('All');
    await expect.poll(() => watchRelay.open.size).toBe(5);
  }
  await new Shell(page).open('Logs');
  await expect.poll(() => watchRelay.open.size).toBe(0);
});
