import { expect, test } from '../../fixtures/machine-test.ts';
import { windowBench } from '../../fixtures/window-bench.ts';
import { Dashboards } from '../../page-objects/dashboards.ts';
import { DrivePanel } from '../../page-objects/drive.ts';
import { drawn, drawnLines, focusRing } from '../../page-objects/drawn.ts';
import { FakeGamepad, padAxes, padButtons } from '../../page-objects/gamepad.ts';
import { checkFit } from '../../page-objects/fit.ts';
import { keepPicture } from '../../page-objects/look.ts';
import { Palette } from '../../page-objects/palette.ts';
import { Plot } from '../../page-objects/plot.ts';
import { madeRecording, RecordingScreen } from '../../page-objects/recording.ts';

test.use({ config: windowBench });

test.beforeEach(async ({ page }) => {
  // Each rule of the page that animates would be measured half way.
  await page.emulateMedia({ forcedColors: 'active', reducedMotion: 'reduce' });
});

/** On a light and on a dark desktop. */
const schemes = ['light', 'dark'] as const;

test('with forced colours the drive panel shows what is held, how far, and where the focus is', async ({ page }) => {
  const pad = await FakeGamepad.of(page);
  const drive = new DrivePanel(page);
  const control = await drive.openOnWheels();
  await pad.plugIn();
  await control.enable();
  await pad.press(padButtons.leftBumper);
  await expect(drive.said).toContainText('Driving');
  await pad.tilt(padAxes.leftY, -0.8);
  await expect(control.motor('left').state).toHaveText('moving');
  const bar = drive.panel.locator('.outputs li').first();
  const buttons = drive.panel.getByRole('list', { name: 'Buttons' }).getByRole('listitem');
  for (const colorScheme of schemes) {
    await page.emulateMedia({ colorScheme });
    expect((await drawn(bar.locator('.fill'))).edge, 'how far').toBeGreaterThan(3);
    expect((await drawn(bar.locator('.bar'))).edge, 'the frame of how far').toBeGreaterThan(3);
    const [pressed, other] = [await drawn(buttons.filter({ hasText: 'LB' })), await drawn(buttons.first())];
    expect(pressed.fill, 'the button that is held').not.toBe(other.fill);
    expect(pressed.text, 'its name').toBeGreaterThan(4.5);
    expect((await focusRing(drive.area)).widthPx).toBe(2);
    await keepPicture(page, `forced-colours-drive-${colorScheme}`);
  }
});

test('with forced colours the tiles of a dashboard have frames, lines and a focus that is seen', async ({ page }) => {
  const dashboards = new Dashboards(page);
  await dashboards.open();
  await dashboards.add('Bench');
  await dashboards.addNote('Heat first.');
  await dashboards.addPlot('position of wheel', 'celsius of climate');
  await dashboards.addCards('left');
  const plot = new Plot(page.getByRole('figure', { name: 'Plot of wheel, climate' }));
  await expect(plot.line('celsius of climate')).toContainText(/\d/);
  for (const colorScheme of schemes) {
    await page.emulateMedia({ colorScheme });
    expect((await focusRing(dashboards.bar('Heat first.'))).widthPx).toBe(2);
    expect((await drawn(dashboards.bar('left'))).edge, 'the frame of a tile').toBeGreaterThan(3);
    await expect.poll(() => drawnLines(plot.figure), 'the lines of the plot').toBeGreaterThan(3);
    await keepPicture(page, `forced-colours-dashboard-${colorScheme}`);
  }
});

test('with forced colours a recording shows its lines, its events and the one that is current', async ({ page }) => {
  await new Palette(page).run('Open a recording');
  const recording = new RecordingScreen(page);
  await recording.open('bench.recording.ndjson', madeRecording());
  await page.keyboard.press('n');
  await page.keyboard.press('n');
  await recording.plotOf('left.position').click(0.3);
  await recording.plotOf('left.position').click(0.6);
  for (const colorScheme of schemes) {
    await page.emulateMedia({ colorScheme });
    const current = await drawn(recording.events.and(page.locator('[aria-current]')));
    const other = await drawn(recording.events.last());
    expect(current.fill, 'the current event').not.toBe(other.fill);
    expect(current.text, 'its text').toBeGreaterThan(4.5);
    await expect
      .poll(() => drawnLines(recording.plotOf('left.position').figure), 'the lines of a plot')
      .toBeGreaterThan(3);
    expect((await focusRing(recording.plotOf('left.position').area)).widthPx).toBe(2);
    await keepPicture(page, `forced-colours-recording-${colorScheme}`);
  }
});

test.describe('at 200 % zoom', () => {
  test.use({ viewport: { width: 720, height: 450 } });

  test('drive, a dashboard that is edited and a recording fit the window', async ({ page }) => {
    await page.emulateMedia({ forcedColors: 'none' });
    const drive = new DrivePanel(page);
    await drive.openOnWheels();
    await checkFit(page, 'drive at 200 %');
    await keepPicture(page, 'zoomed-drive');
    await drive.press('Close');
    const dashboards = new Dashboards(page);
    await dashboards.add('Bench');
    await dashboards.addNote('Heat first.');
    await dashboards.addPlot('position of wheel');
    await checkFit(page, 'a dashboard at 200 %');
    await keepPicture(page, 'zoomed-dashboard');
    await dashboards.saveEdits();
    await new Palette(page).run('Open a recording');
    await new RecordingScreen(page).open('bench.recording.ndjson', madeRecording());
    await expect(new RecordingScreen(page).plots).toHaveCount(3);
    await checkFit(page, 'a recording at 200 %');
    await keepPicture(page, 'zoomed-recording');
  });
});
