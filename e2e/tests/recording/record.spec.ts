import { readFile } from 'node:fs/promises';
import { expect, test } from '../../fixtures/machine-test.ts';
import { windowBench } from '../../fixtures/window-bench.ts';
import { Cable } from '../../page-objects/cable.ts';
import { ControlPage } from '../../page-objects/control.ts';
import { linesOf, RecordingScreen, valuesIn } from '../../page-objects/recording.ts';
import { Shell } from '../../page-objects/shell.ts';

test.use({ config: windowBench });

test('what a motor did is recorded, saved, opened and exported', { tag: '@smoke' }, async ({ page }) => {
  const left = await new ControlPage(page).openWith('left');
  const recording = new RecordingScreen(page);
  await expect(recording.rate).toHaveValue('10');
  await recording.record.click();
  await expect(recording.stop).toBeVisible();
  await expect(recording.chip).toContainText(/0:0\d/);
  await left.forward.hover();
  await page.mouse.down();
  await expect.poll(() => left.value('position'), { timeout: 20_000 }).toBeGreaterThan(1);
  await page.mouse.up();
  await expect(left.state).toHaveText('still');
  await expect(recording.chip).toContainText('0:05', { timeout: 10_000 });
  await recording.stop.click();
  await expect(recording.kept).toContainText('is not saved');

  const file = await recording.save();
  await expect(recording.kept).toContainText(`Saved as ${file.suggestedFilename()}`);
  expect(file.suggestedFilename()).toMatch(/Z\.recording\.ndjson$/);
  const lines = await linesOf(file);
  expect(lines[0]).toMatchObject({ format: 'armature-recording', version: 1, hz: 10 });
  const positions = valuesIn(lines, 'left.position');
  expect(positions.at(-1)?.[1]).toBeGreaterThan(1);
  expect(Math.abs(Number(positions[0]?.[1]))).toBeLessThan(0.01);
  const times = positions.map(([t]) => t);
  expect(times).toEqual([...times].sort((one, other) => one - other));
  for (const channel of ['left.speed', 'left.moving', 'wheel.position', 'bench.analog.pot', 'climate.celsius']) {
    expect(valuesIn(lines, channel), channel).not.toEqual([]);
  }
  const command = lines.find(({ event, method }) => event === 'command' && method === 'SetPower');
  expect(command).toMatchObject({ resource: 'left', text: expect.stringMatching(/^left: SetPower 0\.\d+$/) });
  expect(lines.at(-1)).toMatchObject({ event: 'end' });

  await recording.open(file.suggestedFilename(), await readFile(await file.path(), 'utf8'));
  await expect(recording.heading).toHaveText(file.suggestedFilename());
  await expect(recording.notLive).toBeVisible();
  await expect(page.getByRole('switch', { name: /control/i })).toBeHidden();
  await expect(recording.plotOf('left.position').figure).toBeVisible();
  // At the very start no value has come yet, and none is invented.
  await recording.goTo('Home');
  await expect(recording.channel('left.position').locator('b')).toHaveText('—');
  await expect(async () => {
    await page.keyboard.press('ArrowRight');
    expect(await recording.value('left.position')).toBeLessThan(0.01);
  }).toPass();
  await recording.goTo('End');
  await expect.poll(() => recording.value('left.position')).toBeGreaterThan(1);
  await recording.events
    .filter({ hasText: /left: SetPower/ })
    .first()
    .click();
  await expect.poll(() => recording.value('left.position')).toBeLessThan(0.2);

  const table = await recording.exportTable('Whole recording');
  const heads = table[0]?.split(',') ?? [];
  expect(heads.slice(0, 2)).toEqual(['time', 'seconds']);
  const column = heads.indexOf('left.position (rev)');
  const cells = table.slice(1).map((line) => line.split(',')[column]);
  expect(cells.filter((cell) => cell !== '').map(Number)).toEqual(positions.map(([, value]) => value));
});

test('a recording goes on while other screens are shown, and says so there', async ({ page }) => {
  const shell = new Shell(page);
  await shell.open('Control');
  const recording = new RecordingScreen(page);
  await recording.rate.selectOption('20 / s');
  await recording.record.click();
  await expect(recording.chip).toContainText('0:01');
  await shell.open('Logs');
  await expect(recording.chip).toContainText('0:04', { timeout: 10_000 });
  await recording.chip.click();
  await recording.stop.click();
  const lines = await linesOf(await recording.save());
  expect(lines[0]).toMatchObject({ hz: 20 });
  const times = valuesIn(lines, 'bench.analog.pot').map(([t]) => t);
  expect(times.at(-1)).toBeGreaterThan(3);
  const pauses = times.slice(1).map((t, index) => t - (times[index] ?? 0));
  expect(Math.max(...pauses)).toBeLessThan(1);
  await expect(recording.chip).toBeHidden();
});

test('a lost connection is a gap with its event, and nothing is invented', async ({ page, machine }) => {
  const cable = await Cable.open(page, machine.pageUrl);
  await new Shell(page).open('Control');
  const recording = new RecordingScreen(page);
  await recording.record.click();
  await expect(recording.chip).toContainText('0:01');
  await cable.cut();
  await expect(page.getByText(/No connection to the machine/).first()).toBeVisible();
  cable.mend();
  await expect(page.getByText(/No connection to the machine/)).toHaveCount(0, { timeout: 20_000 });
  const card = new ControlPage(page).card('bench');
  await expect(card).toBeVisible();
  await expect(recording.chip).toContainText(/0:(0[4-9]|[1-9]\d)/, { timeout: 20_000 });
  await recording.stop.click();
  const lines = await linesOf(await recording.save());
  const lost = lines.findIndex(({ event, text }) => event === 'link' && String(text).startsWith('Connection lost'));
  const back = lines.findIndex(({ text }) => text === 'Connected again');
  expect(lost).toBeGreaterThan(0);
  expect(back).toBeGreaterThan(lost);
  const between = lines.slice(lost, back);
  expect(between.filter(({ v }) => v !== undefined)).toEqual([]);
  const gap = lines.slice(0, lost).findLast(({ v }) => v !== undefined && 'climate.celsius' in (v as object));
  expect(gap).toMatchObject({ v: { 'climate.celsius': null } });
});

test('a reload in the middle asks, and loses nothing: the recording is offered', async ({ page }) => {
  await new Shell(page).open('Control');
  const recording = new RecordingScreen(page);
  await recording.record.click();
  await expect(recording.chip).toContainText('0:03', { timeout: 10_000 });
  const asked = page.waitForEvent('dialog');
  const reloaded = page.reload();
  const dialog = await asked;
  expect(dialog.type()).toBe('beforeunload');
  await dialog.accept();
  await reloaded;
  await expect(recording.kept).toContainText(/^A recording of \d\d:\d\d is not saved/);
  const lines = await linesOf(await recording.save());
  expect(valuesIn(lines, 'climate.celsius').at(-1)?.[0]).toBeGreaterThan(1);
  // What was saved is not offered again.
  await page.reload();
  await expect(recording.record).toBeEnabled();
  await expect(recording.kept).toHaveCount(0);
});

test('a recording is discarded only after a question, and then is gone', async ({ page }) => {
  await new Shell(page).open('Control');
  const recording = new RecordingScreen(page);
  await recording.record.click();
  await expect(recording.chip).toContainText('0:01');
  await recording.stop.click();
  await recording.press('Discard');
  const dialog = page.getByRole('dialog', { name: 'Discard the recording?' });
  await dialog.getByRole('button', { name: 'Cancel' }).click();
  await expect(recording.kept).toHaveCount(1);
  await recording.press('Discard');
  await dialog.getByRole('button', { name: 'Discard' }).click();
  await expect(recording.kept).toHaveCount(0);
  await page.reload();
  await expect(recording.record).toBeEnabled();
  await expect(recording.kept).toHaveCount(0);
});

test('a recording that runs in another page of this browser is not offered', async ({ page, machine }) => {
  await new Shell(page).open('Control');
  const recording = new RecordingScreen(page);
  await recording.record.click();
  await expect(recording.chip).toContainText('0:02');
  const other = await page.context().newPage();
  await other.goto(machine.pageUrl);
  await new Shell(other).open('Control');
  await expect(new RecordingScreen(other).record).toBeEnabled();
  await recording.stop.click();
  await expect(recording.kept).toHaveCount(1);
  await expect(new RecordingScreen(other).kept).toHaveCount(0);
});
