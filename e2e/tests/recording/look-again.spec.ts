import { expect, test } from '../../fixtures/machine-test.ts';
import { windowBench } from '../../fixtures/window-bench.ts';
import { Cable } from '../../page-objects/cable.ts';
import { checkLook } from '../../page-objects/look.ts';
import { Palette } from '../../page-objects/palette.ts';
import { madeRecording, RecordingScreen } from '../../page-objects/recording.ts';
import { Shell } from '../../page-objects/shell.ts';

test.use({ config: windowBench });

const name = 'bench.recording.ndjson';

test('a file that is dropped on Control is opened', async ({ page }) => {
  await new Shell(page).open('Control');
  const recording = new RecordingScreen(page);
  await expect(recording.record).toBeVisible();
  await page.evaluate(`(() => {
    const files = new DataTransfer();
    files.items.add(new File([${JSON.stringify(madeRecording())}], '${name}'));
    window.dispatchEvent(new DragEvent('drop', { dataTransfer: files, cancelable: true }));
  })()`);
  await expect(recording.heading).toHaveText(name);
  await expect(page).toHaveURL(/#\/control\/recording$/);
});

test('it is looked at without a connection, by the keyboard alone', async ({ page, machine }) => {
  const cable = await Cable.open(page, machine.pageUrl);
  const recording = new RecordingScreen(page);
  await new Palette(page).run('Open a recording');
  await expect(recording.heading).toHaveText('No recording is open');
  await cable.cut();
  const chooser = page.waitForEvent('filechooser');
  const button = page.getByRole('button', { name: 'Open a recording', exact: true });
  await button.focus();
  await page.keyboard.press('Enter');
  await (await chooser).setFiles({ name, mimeType: 'application/x-ndjson', buffer: Buffer.from(madeRecording()) });
  await expect(recording.heading).toHaveText(name);
  // The pin does not change, so only the others are drawn at first.
  await expect(recording.plots).toHaveCount(3);
  await expect.poll(() => recording.value('left.position')).toBe(0);
  await page.keyboard.press('n');
  await expect(recording.events.first()).toHaveAttribute('aria-current', 'true');
  await page.keyboard.press('n');
  await expect(recording.events.nth(1)).toHaveAttribute('aria-current', 'true');
  await expect.poll(() => recording.value('left.position')).toBeCloseTo(2.4, 3);
  await page.keyboard.press('Shift+N');
  await expect.poll(() => recording.value('left.position')).toBe(0);
  const plot = recording.plotOf('left.position');
  await plot.area.focus();
  await page.keyboard.press('a');
  await page.keyboard.press('Shift+ArrowRight');
  await page.keyboard.press('b');
  await expect.poll(() => plot.measure('left.position', 'perSecond')).toBeCloseTo(0.8, 2);
  await expect.poll(() => recording.value('left.position')).toBeCloseTo(0.8, 3);
  await page.keyboard.press('+');
  await expect.poll(async () => (await plot.heldWindow()).lengthMs).toBeCloseTo(5_000, -2);
  expect((await recording.plotOf('climate.celsius').heldWindow()).lengthMs).toBeCloseTo(5_000, -2);
  await page.keyboard.press('p');
  await expect(recording.bar.getByRole('button', { name: 'Pause' })).toBeVisible();
  await expect.poll(() => recording.value('left.position')).toBeGreaterThan(1.2);
  await page.keyboard.press('p');
  await expect(recording.bar.getByRole('button', { name: 'Play' })).toBeVisible();
});

test('it is played to its end at another speed', async ({ page }) => {
  await new Palette(page).run('Open a recording');
  const recording = new RecordingScreen(page);
  await recording.open(name, madeRecording(20));
  await recording.bar.getByRole('button', { name: '16×' }).click();
  await recording.bar.getByRole('button', { name: 'Play' }).click();
  await expect.poll(() => recording.value('left.position')).toBeCloseTo(17.9 * 0.8, 2);
  await expect(recording.bar.getByRole('button', { name: 'Play' })).toBeVisible();
});

test('channels are put into one plot, and taken out of it', async ({ page }) => {
  await new Palette(page).run('Open a recording');
  const recording = new RecordingScreen(page);
  await recording.open(name, madeRecording());
  await expect(recording.plots).toHaveCount(3);
  await recording.channel('left.power').getByRole('combobox').selectOption('Plot 1');
  await expect(recording.plots).toHaveCount(2);
  await expect(recording.plotOf('left.position').line('left.power')).toBeVisible();
  await recording.channel('left.position').getByRole('combobox').selectOption('Not drawn');
  await expect(recording.plotOf('left.power').line('left.position')).toBeHidden();
  await page.getByRole('button', { name: 'Arrange' }).click();
  await page.getByRole('menuitem', { name: 'One plot per resource' }).click();
  await expect(recording.plots).toHaveCount(3);
  await expect(recording.plotOf('bench.pin.16').figure).toBeVisible();
});

test('the shown time is exported', async ({ page }) => {
  await new Palette(page).run('Open a recording');
  const recording = new RecordingScreen(page);
  await recording.open(name, madeRecording());
  await recording.plotOf('left.position').drag(0.5, 0.75);
  const table = await recording.exportTable('Only the time shown');
  expect(table[0]).toBe('time,seconds,left.position (rev),left.power,climate.celsius (°C),bench.pin.16');
  expect(table.length).toBeGreaterThan(22);
  expect(table.length).toBeLessThan(30);
});

const broken = madeRecording().split('\n');
broken[60] = broken[60]?.slice(0, 20) ?? '';

test.describe('a file that is not a whole recording', () => {
  for (const [what, text, message] of [
    ['is something else', 'time,left\n1,2\n', /is not a recording: its first line is "time,left"\. Choose a file/],
    ['is empty', '', /is empty\. Choose another file/],
    ['is newer', '{"format":"armature-recording","version":7}\n', /of version 7, .* up to 1\. Update Armature/],
    ['is broken in the middle', broken.join('\n'), /Line 61 is broken: .* What comes before it is shown, 0:02/],
    ['is cut', madeRecording().slice(0, 3_000), /The file ends in the middle of line \d+/],
    ['has no end', madeRecording().replace(/\{[^\n]*"end"[^\n]*\n$/, ''), /This recording has no end/],
  ] as const) {
    test(`${what}: it is said, with the next step`, async ({ page }) => {
      await new Palette(page).run('Open a recording');
      const recording = new RecordingScreen(page);
      await recording.open(name, text);
      await expect(recording.notice.first()).toHaveText(message);
      const isShown = what.startsWith('is broken') || what === 'is cut' || what === 'has no end';
      await expect(recording.notLive).toBeVisible({ visible: isShown });
    });
  }
});

test('recording is accessible in both themes', async ({ page }) => {
  await new Shell(page).open('Control');
  const recording = new RecordingScreen(page);
  await recording.record.click();
  await expect(recording.chip).toContainText('0:01');
  await checkLook(page, 'recording-runs');
  await recording.stop.click();
  await expect(recording.kept).toHaveCount(1);
  await checkLook(page, 'recording-kept');
});

test('a recording is accessible in both themes', async ({ page }) => {
  await new Palette(page).run('Open a recording');
  const recording = new RecordingScreen(page);
  await checkLook(page, 'recording-none');
  await recording.open(name, broken.slice(0, 62).join('\n'));
  await expect(recording.notice.first()).toContainText('Line 61');
  await checkLook(page, 'recording-broken');
  await recording.open(name, madeRecording());
  await page.keyboard.press('n');
  await expect(recording.events.first()).toHaveAttribute('aria-current', 'true');
  await recording.plotOf('left.position').click(0.3);
  await recording.plotOf('left.position').click(0.6);
  await checkLook(page, 'recording');
});
