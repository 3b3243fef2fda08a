import { expect, test } from '../../fixtures/machine-test.ts';
import { windowBench } from '../../fixtures/window-bench.ts';
import { ControlPage } from '../../page-objects/control.ts';
import { Shell } from '../../page-objects/shell.ts';

const readings = JSON.stringify({
  celsius: 21.5,
  wave: { wave: 'sine', min: -1, max: 1, period_ms: 4_000 },
  inside: { humidity: 40, door: 'open' },
  c: 1,
  d: 2,
});
test.use({ config: windowBench.replace('{ "celsius": 21.5 }', readings) });

test('a sensor shows every value, also inside others, and draws the first four numbers', async ({ page }) => {
  await new Shell(page).open('Control');
  const control = new ControlPage(page);
  const climate = control.card('climate');
  const plot = control.plot('climate');
  await expect(climate.getByRole('row', { name: /^inside\.humidity/ })).toContainText('40');
  await expect(climate.getByRole('row', { name: /^inside\.door/ })).toContainText('open');
  await expect(climate.getByRole('checkbox', { name: 'Draw inside.door' })).toHaveCount(0);
  await expect(plot.line('celsius')).toContainText('21.5');
  await expect(plot.figure.getByRole('listitem')).toHaveCount(4);
  await climate.getByRole('checkbox', { name: 'Draw wave', exact: true }).check();
  await climate.getByRole('checkbox', { name: 'Draw celsius' }).uncheck();
  await expect(plot.figure.getByRole('listitem')).toHaveCount(4);
  await expect(plot.line('celsius')).toHaveCount(0);
});

test('the last readings are listed with the time of the machine, and copied as JSON', async ({ page, context }) => {
  await context.grantPermissions(['clipboard-read', 'clipboard-write']);
  await new Shell(page).open('Control');
  const climate = new ControlPage(page).card('climate');
  await climate.getByText(/^Last \d+ readings$/).click();
  await expect(climate.getByRole('group', { name: 'Last readings' }).getByRole('row')).not.toHaveCount(1);
  await expect(climate.getByRole('group', { name: 'Last readings' })).toContainText(/\d\d:\d\d:\d\d\.\d{3}/);
  await climate.getByRole('button', { name: 'Copy as JSON' }).click();
  await expect(climate.getByText('Copied.')).toBeVisible();
  const copied = JSON.parse(await page.evaluate<string>('navigator.clipboard.readText()')) as object;
  expect(copied).toMatchObject({ celsius: 21.5, inside: { humidity: 40, door: 'open' } });
});

test('a reading that fails says why and since when, and keeps what it was', async ({ page, watchRelay }) => {
  await new Shell(page).open('Control');
  const climate = new ControlPage(page).card('climate');
  await expect(climate).toContainText('21.5');
  watchRelay.change = (update) =>
    update.id === 'readings'
      ? { ...update, result: { $case: 'error', value: { code: 13, message: 'cable out', details: [] } } }
      : update;
  await expect(climate.getByRole('alert')).toContainText(/No value since \d\d:\d\d:\d\d \(.*\): cable out/);
  await expect(climate.getByRole('row', { name: /^celsius/ })).toContainText('21.5');
  watchRelay.change = (update) => update;
  await expect(climate.getByRole('alert')).toHaveCount(0);
});
