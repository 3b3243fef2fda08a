import { expect, test } from '../../fixtures/machine-test.ts';
import { windowBench } from '../../fixtures/window-bench.ts';
import { ControlPage } from '../../page-objects/control.ts';
import { Dashboards } from '../../page-objects/dashboards.ts';
import { checkFit } from '../../page-objects/fit.ts';
import { Hands } from '../../page-objects/hands.ts';
import { keepPicture } from '../../page-objects/look.ts';
import { RecordingScreen } from '../../page-objects/recording.ts';
import { Shell } from '../../page-objects/shell.ts';

test.use({ config: windowBench, viewport: { width: 390, height: 844 } });

/** The tools above the first card, in the rows that they stand in. */
const rows = `(() => {
  const tops = [...document.querySelectorAll('main .head :is(button, input, select)')]
    .filter((each) => each.checkVisibility() && each.getBoundingClientRect().width > 1)
    .map((each) => each.getBoundingClientRect())
    .map(({ top, height }) => Math.round((top + height / 2) / 20));
  return new Set(tops).size;
})()`;

test('on a phone Control has at most two rows of tools, and the rare ones are in a menu', async ({ page }) => {
  const [shell, control, recording] = [new Shell(page), new ControlPage(page), new RecordingScreen(page)];
  await shell.open('Control');
  await expect(control.motor('left').state).toHaveText('still');
  expect(await page.evaluate(rows)).toBe(2);
  await checkFit(page, 'Control on a phone');
  await keepPicture(page, 'control-head-phone');

  // By the keyboard alone: how often values are recorded, and the file of a recording.
  const { keyboard } = page;
  const hands = await Hands.of(page);
  const menu = page.getByRole('button', { name: 'Recording menu' });
  const often = page.getByRole('menuitemradio', { name: '20 values per second' });
  await hands.tabTo(menu, 40);
  await keyboard.press('Enter');
  await expect(page.getByRole('menuitemradio', { name: '10 values per second' })).toBeChecked();
  await checkFit(page, 'the menu of recording on a phone');
  await keepPicture(page, 'control-menu-phone');
  await keyboard.press('End');
  await expect(often).toBeFocused();
  await keyboard.press('Enter');
  await expect(menu).toBeFocused();
  await keyboard.press('Enter');
  await expect(often).toBeChecked();
  const chooser = page.waitForEvent('filechooser');
  await page.getByRole('menuitem', { name: 'Open a recording' }).click();
  await chooser;

  await page.getByRole('combobox', { name: 'Show', exact: true }).selectOption('Sensors');
  await expect(control.card('climate')).toBeVisible();
  await expect(control.card('left')).toBeHidden();
  await page.getByRole('combobox', { name: 'Show', exact: true }).selectOption('All');

  await control.enable();
  await recording.record.click();
  await expect(recording.chip).toContainText('0:01');
  expect(await page.evaluate(rows)).toBe(2);
  await checkFit(page, 'Control on a phone while a recording runs');
  await keepPicture(page, 'control-recording-phone');
  await recording.stop.click();
  await expect(recording.kept).toHaveCount(1);
  await checkFit(page, 'Control on a phone with a recording that is not saved');
  await keepPicture(page, 'control-kept-phone');
});

test('on a phone a dashboard leaves the tools in two rows', async ({ page }) => {
  const dashboards = new Dashboards(page);
  await dashboards.open();
  await dashboards.add('Bench and conveyor');
  await dashboards.addNote('Heat first.');
  await keepPicture(page, 'dashboard-edit-head-phone');
  await dashboards.saveEdits();
  expect(await page.evaluate(rows)).toBe(2);
  await dashboards.act('Copy link');
  await expect(page.getByText(/^(Link copied\.|The link was not copied\.)/)).toBeVisible();
  await checkFit(page, 'a dashboard on a phone');
  await keepPicture(page, 'dashboard-head-phone');
});
