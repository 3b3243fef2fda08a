import { expect, test } from '../../fixtures/machine-test.ts';
import { windowBench } from '../../fixtures/window-bench.ts';
import { ControlPage } from '../../page-objects/control.ts';
import { boxOf, Dashboards } from '../../page-objects/dashboards.ts';
import { Plot } from '../../page-objects/plot.ts';

test.use({ config: windowBench });

test(
  'a dashboard is made, arranged by mouse and by keyboard, and is there after a reload and for its link',
  { tag: '@smoke' },
  async ({ page, machine, browser }) => {
    // High enough for all tiles, so that one is dragged without scrolling.
    await page.setViewportSize({ width: 1440, height: 1500 });
    const dashboards = new Dashboards(page);
    const control = new ControlPage(page);
    await dashboards.open();
    await dashboards.add('Bench');
    await dashboards.addCards('left');
    await dashboards.addPlot('position of wheel', 'speed of left');
    await dashboards.addNote('Heat first.\nThen run.');
    await expect.poll(() => dashboards.names()).toEqual(['left', 'Plot of wheel, left', 'Heat first.']);

    await dashboards.drag('Heat first.', 'left', 'before');
    await expect.poll(() => dashboards.names()).toEqual(['Heat first.', 'left', 'Plot of wheel, left']);
    await dashboards.bar('Heat first.').focus();
    await page.keyboard.press('Alt+ArrowDown');
    await expect.poll(() => dashboards.names()).toEqual(['left', 'Heat first.', 'Plot of wheel, left']);
    // The focus goes with the tile.
    await expect(dashboards.bar('Heat first.')).toBeFocused();
    const before = await boxOf(dashboards.tile('Heat first.'));
    await page.keyboard.press('Alt+Shift+ArrowRight');
    await expect
      .poll(async () => (await boxOf(dashboards.tile('Heat first.'))).width)
      .toBeGreaterThan(before.width * 2);
    await expect(page.getByText('Heat first.: 2 of 4 columns, as high as its content.')).toBeAttached();
    await dashboards.dragEdge('Plot of wheel, left', 'right', 600);
    await expect(page.getByText('Plot of wheel, left: 4 of 4 columns, 8 rows.')).toBeAttached();
    await dashboards.dragEdge('Plot of wheel, left', 'bottom', 80);
    await expect(page.getByText('Plot of wheel, left: 4 of 4 columns, 10 rows.')).toBeAttached();
    await dashboards.saveEdits();

    await expect(control.motor('left').state).toHaveText('still');
    const plot = new Plot(page.getByRole('figure', { name: 'Plot of wheel, left' }));
    await expect(plot.line('position of wheel')).toContainText(/\d/);
    await page.reload();
    await expect(dashboards.picker).toHaveValue('Bench');
    await expect(dashboards.tiles).toHaveCount(3);
    await expect(dashboards.tiles.nth(1)).toContainText('Then run.');
    await expect(plot.line('position of wheel')).toContainText(/\d/);

    // The link is what is in the address, and the other browser signs in by its own address.
    const context = await browser.newContext();
    const other = await context.newPage();
    await other.goto(machine.pageUrl);
    await new Dashboards(other).open();
    await other.goto(page.url());
    await expect(new Dashboards(other).picker).toHaveValue('Bench');
    await expect(new Dashboards(other).tiles).toHaveCount(3);
    await context.close();
  },
);

test('the menu renames, duplicates, gives the link and deletes', async ({ page, context }) => {
  await context.grantPermissions(['clipboard-read', 'clipboard-write']);
  const dashboards = new Dashboards(page);
  await dashboards.open();
  await dashboards.add('Bench');
  await dashboards.addNote('Careful');
  await dashboards.saveEdits();
  await dashboards.act('Rename');
  await dashboards.answerName('Table', 'Rename');
  await expect(dashboards.picker).toHaveValue('Table');
  await dashboards.act('Duplicate');
  await dashboards.answerName('table', 'Duplicate');
  await expect(dashboards.dialog).toContainText('This machine has a dashboard "Table" already. Choose another name.');
  await dashboards.answerName('Table copy', 'Duplicate');
  await expect(dashboards.picker).toHaveValue('Table copy');
  await expect(dashboards.tiles).toHaveText(['Careful']);
  await dashboards.act('Copy link');
  await expect(page.getByText('Link copied.')).toBeVisible();
  expect(await page.evaluate('navigator.clipboard.readText()')).toBe(page.url());
  const link = page.url();
  await dashboards.act('Delete');
  await dashboards.dialog.getByRole('button', { name: 'Delete the dashboard' }).click();
  await expect(dashboards.picker).toHaveValue('All resources');
  await page.goto(link);
  await expect(page.getByText(/^There is no dashboard here with the id/)).toBeVisible();
  await page.getByRole('button', { name: 'Show all resources' }).click();
  await expect(new ControlPage(page).card('climate')).toBeVisible();
});
