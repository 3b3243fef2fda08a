import { expect, test } from '../../fixtures/machine-test.ts';
import { windowBench } from '../../fixtures/window-bench.ts';
import { ConfigurePage } from '../../page-objects/configure.ts';
import { ControlPage } from '../../page-objects/control.ts';
import { drawn } from '../../page-objects/drawn.ts';
import { keepPicture } from '../../page-objects/look.ts';
import { screenNames, Shell } from '../../page-objects/shell.ts';

test.use({ config: windowBench });

test.beforeEach(async ({ page }) => {
  // Each rule of the page that animates would be measured half way.
  await page.emulateMedia({ forcedColors: 'active', reducedMotion: 'reduce' });
});

test('with forced colours Stop, the states and what is chosen are seen', async ({ page }) => {
  const shell = new Shell(page);
  const configure = new ConfigurePage(page);
  await configure.open('right');
  await expect(configure.resource('right')).toContainText('ready');
  await keepPicture(page, 'forced-colours-resource');
  expect((await drawn(shell.stopAll)).edge, 'the border of Stop').toBeGreaterThan(3);
  expect((await drawn(shell.stopAll.locator('i'))).edge, 'the square in Stop').toBeGreaterThan(3);
  expect((await drawn(configure.resource('right').locator('.dot'))).edge, 'a dot of the list').toBeGreaterThan(3);
  expect((await drawn(configure.middle.locator('.chip'), '::before')).edge, 'the dot of a chip').toBeGreaterThan(3);
  const views = configure.middle.getByRole('group', { name: 'View' });
  for (const [name, chosen, other] of [
    ['the page', shell.rail.getByRole('link', { name: 'Configure' }), shell.rail.getByRole('link', { name: 'Logs' })],
    ['the resource', configure.resource('right'), configure.resource('left')],
    ['the view', views.getByRole('button', { name: 'Form' }), views.getByRole('button', { name: 'JSON' })],
    ['the wiring', page.locator('label.style.on'), page.locator('label.style:not(.on)')],
  ] as const) {
    const [one, another] = [await drawn(chosen), await drawn(other)];
    expect(one.fill, `${name} that is chosen`).not.toBe(another.fill);
    expect(one.text, `the text of ${name}`).toBeGreaterThan(4.5);
    expect(another.text, `the text of ${name} beside it`).toBeGreaterThan(4.5);
  }
});

test('with forced colours the switch shows which way it is', async ({ page }) => {
  await new Shell(page).open('Control');
  const control = new ControlPage(page);
  await expect(control.motor('right').state).toHaveText('still');
  const track = control.enableSwitch.locator('.track');
  const off = await drawn(track);
  expect(off.edge, 'the track').toBeGreaterThan(3);
  expect((await drawn(track, '::after')).edge, 'the thumb').toBeGreaterThan(3);
  await control.enable();
  await expect(control.enableSwitch).toBeChecked();
  await keepPicture(page, 'forced-colours-enabled');
  const on = await drawn(track);
  expect(on.fill).not.toBe(off.fill);
  expect((await drawn(track, '::after')).edge, 'the thumb').toBeGreaterThan(3);
  expect((await drawn(control.motor('right').stop)).edge, 'the border of a motor’s Stop').toBeGreaterThan(3);
  expect((await drawn(control.motor('right').thumb)).edge, 'the thumb of the power').toBeGreaterThan(3);
});

test('with forced colours Stop, the open page and the selected segments are seen on every screen', async ({ page }) => {
  test.slow();
  const shell = new Shell(page);
  for (const screen of screenNames) {
    await shell.open(screen);
    await expect(page.getByRole('main').getByRole('heading', { level: 1 })).toBeVisible();
    await keepPicture(page, `forced-colours-${screen.toLowerCase()}`);
    expect((await drawn(shell.stopAll)).edge, `the border of Stop on ${screen}`).toBeGreaterThan(3);
    const segments = page.getByRole('main').locator('[role="group"] > [aria-pressed]');
    const chosen = segments.and(page.locator('[aria-pressed="true"]'));
    const other = segments.and(page.locator('[aria-pressed="false"]'));
    if ((await chosen.count()) === 0 || (await other.count()) === 0) continue;
    const [one, another] = [await drawn(chosen), await drawn(other)];
    expect(one.fill, `the selected segment on ${screen}`).not.toBe(another.fill);
    expect(one.text, `its text on ${screen}`).toBeGreaterThan(4.5);
    expect(another.text, `the text beside it on ${screen}`).toBeGreaterThan(4.5);
  }
});
