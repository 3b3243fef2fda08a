import { readFile } from 'node:fs/promises';
import { GetReadingsResponse } from '../../../proto/gen/core/common/v1/common.ts';
import { expect, test } from '../../fixtures/machine-test.ts';
import { windowBench } from '../../fixtures/window-bench.ts';
import type { WatchRelay } from '../../harness/watch-relay.ts';
import { ControlPage } from '../../page-objects/control.ts';
import { Hands } from '../../page-objects/hands.ts';
import { checkLook, keepPicture } from '../../page-objects/look.ts';
import { timeOfDay, type Plot } from '../../page-objects/plot.ts';
import { Shell } from '../../page-objects/shell.ts';

const waves = JSON.stringify({
  celsius: { wave: 'sine', min: 20, max: 24, period_ms: 3_000 },
  'flow, "main"': { wave: 'ramp', min: 0, max: 60_000, period_ms: 3_600_000 },
});
test.use({ config: windowBench.replace('{ "celsius": 21.5 }', waves) });

/** A reading that the machine gave to the page. */
interface Given {
  /** Machine time, ms. */
  readonly at: number;
  readonly celsius: number;
  readonly flow: number;
}

/** Notes each reading of the sensor on its way to the page, by its time of day. */
function noteReadings(watchRelay: WatchRelay): Map<number, Given> {
  const given = new Map<number, Given>();
  watchRelay.change = (update) => {
    if (update.id === 'readings' && update.result?.$case === 'response' && update.time !== undefined) {
      const { readings } = GetReadingsResponse.decode(update.result.value);
      const at = update.time.getTime();
      const { celsius, 'flow, "main"': flow } = readings as Record<string, number>;
      given.set(dayTime(at), { at, celsius: Number(celsius), flow: Number(flow) });
    }
    return update;
  };
  return given;
}

/** Milliseconds since local midnight. */
function dayTime(at: number): number {
  const date = new Date(at);
  return timeOfDay(
    `${date.getHours()}:${date.getMinutes()}:${date.getSeconds()}.${String(date.getMilliseconds()).padStart(3, '0')}`,
  );
}

/** The time that is read, ms since midnight. */
async function readTime(plot: Plot): Promise<number> {
  await expect(plot.status).toHaveText(/^\d\d:\d\d:\d\d\.\d{3} · .+ ago$/);
  return timeOfDay((await plot.status.innerText()).slice(0, 12));
}

/** Opens the sensor's plot, with so many readings in it. */
async function openSensor(control: ControlPage, given: ReadonlyMap<number, Given>, least: number): Promise<Plot> {
  await new Shell(control.page).open('Control');
  await control.show('Sensors');
  const plot = control.plot('climate');
  await expect(plot.line('celsius')).toContainText(/\d/);
  await plot.window.selectOption('10 s');
  await expect.poll(() => given.size).toBeGreaterThan(least);
  return plot;
}

async function expectReads(plot: Plot, reading: Given | undefined): Promise<void> {
  if (reading === undefined) throw new Error('there is no reading at this time');
  expect(await plot.value('celsius')).toBeCloseTo(reading.celsius, 1);
  expect(Math.abs((await plot.value('flow')) - reading.flow)).toBeLessThan(0.51);
}

test('pointing shows the real sample of each line, and it stays while new ones arrive', async ({
  page,
  watchRelay,
}) => {
  const given = noteReadings(watchRelay);
  const plot = await openSensor(new ControlPage(page), given, 30);
  const below = await plot.window.boundingBox();
  await expect(plot.status).toHaveText('now');
  await plot.point(0.9);
  const time = await readTime(plot);
  await expectReads(plot, given.get(time));
  await expect(plot.mark('reading')).toBeVisible();
  const values = await plot.line('celsius').innerText();
  const before = given.size;
  await expect.poll(() => given.size).toBeGreaterThan(before + 10);
  expect(await readTime(plot)).toBe(time);
  expect(await plot.line('celsius').innerText()).toBe(values);
  expect(await plot.window.boundingBox()).toEqual(below);
  await page.mouse.move(5, 5);
  await expect(plot.status).toHaveText('now');
  await expect(plot.mark('reading')).toBeHidden();
});

test('the keyboard reads sample by sample, ten at once, to both ends, and measures between two cursors', async ({
  page,
  watchRelay,
}) => {
  const given = noteReadings(watchRelay);
  const plot = await openSensor(new ControlPage(page), given, 40);
  const hands = await Hands.of(page);
  await hands.tabTo(plot.area, 60);
  await expect(plot.status).toContainText('read');
  await hands.press('p');
  await expect(plot.figure.getByRole('button', { name: 'Live', exact: true })).toBeVisible();
  await hands.press('End');
  const times = [...given.keys()];
  const end = await readTime(plot);
  const last = times.indexOf(end);
  await expectReads(plot, given.get(end));
  await hands.press('ArrowLeft');
  expect(await readTime(plot)).toBe(times[last - 1]);
  await hands.press('Shift+ArrowLeft');
  expect(await readTime(plot)).toBe(times[last - 11]);
  await expectReads(plot, given.get(times[last - 11] ?? 0));
  await hands.press('a');
  await expect(plot.mark('a')).toBeVisible();
  await hands.press('Shift+ArrowRight');
  await hands.press('b');
  expect(await readTime(plot)).toBe(times[last - 1]);
  const [a, b] = [given.get(times[last - 11] ?? 0), given.get(times[last - 1] ?? 0)];
  if (a === undefined || b === undefined) throw new Error('a reading is missing');
  const seconds = (b.at - a.at) / 1_000;
  await expect(plot.length).toHaveText(`Δ ${seconds.toFixed(3)} s`);
  expect(await plot.measure('celsius', 'a')).toBeCloseTo(a.celsius, 1);
  expect(await plot.measure('celsius', 'b')).toBeCloseTo(b.celsius, 1);
  expect(await plot.measure('celsius', 'difference')).toBeCloseTo(b.celsius - a.celsius, 2);
  expect(await plot.measure('celsius', 'perSecond')).toBeCloseTo((b.celsius - a.celsius) / seconds, 2);
  await hands.press('Home');
  expect(times.indexOf(await readTime(plot))).toBeLessThan(last - 20);
  await hands.press('c');
  await expect(plot.mark('a')).toBeHidden();
  await expect(plot.clearCursors).toBeDisabled();
  expect((await hands.counts()).clicks).toBe(0);
});

test('a click puts A, a second one B, a third A anew, and a button clears both', async ({ page, watchRelay }) => {
  const given = noteReadings(watchRelay);
  const plot = await openSensor(new ControlPage(page), given, 60);
  const below = await plot.window.boundingBox();
  await plot.press('Pause');
  await plot.click(0.6);
  await expect(plot.mark('a')).toBeVisible();
  await expect(plot.mark('b')).toBeHidden();
  await plot.click(0.9);
  await expect(plot.mark('b')).toBeVisible();
  const seconds = Number(/[\d.]+/.exec(await plot.length.innerText())?.[0]);
  // 0.3 of 10 s, less what lies between a place and the sample before it.
  expect(Math.abs(seconds - 3)).toBeLessThan(0.25);
  const [difference, perSecond] = [await plot.measure('flow', 'difference'), await plot.measure('flow', 'perSecond')];
  expect(Math.abs(perSecond - difference / seconds)).toBeLessThan(0.1);
  // The ramp rises by 60,000 in an hour.
  expect(Math.abs(perSecond - 60_000 / 3_600)).toBeLessThan(0.5);
  await plot.click(0.5);
  await expect(plot.mark('b')).toBeHidden();
  await plot.press('Clear cursors');
  await expect(plot.mark('a')).toBeHidden();
  expect(await plot.window.boundingBox()).toEqual(below);
});

test('dragging zooms to a time, the wheel with Ctrl about the pointer, Shift moves, and samples are still collected', async ({
  page,
  watchRelay,
}) => {
  const given = noteReadings(watchRelay);
  const plot = await openSensor(new ControlPage(page), given, 60);
  await plot.drag(0.6, 0.8);
  await expect(plot.figure.getByRole('button', { name: 'Live', exact: true })).toBeVisible();
  const dragged = await plot.heldWindow();
  expect(Math.abs(dragged.lengthMs - 2_000)).toBeLessThan(100);
  await plot.point(0.5);
  await page.keyboard.down('Control');
  await page.mouse.wheel(0, -350);
  await page.keyboard.up('Control');
  await expect.poll(async () => (await plot.heldWindow()).lengthMs).toBeLessThan(dragged.lengthMs * 0.6);
  const zoomed = await plot.heldWindow();
  const middle = (window: { from: string; lengthMs: number }): number => timeOfDay(window.from) + window.lengthMs / 2;
  expect(Math.abs(middle(zoomed) - middle(dragged))).toBeLessThan(20);
  await page.keyboard.down('Shift');
  await plot.drag(0.75, 0.25);
  await page.keyboard.up('Shift');
  const panned = await plot.heldWindow();
  // Each end is shown in whole milliseconds.
  expect(Math.abs(panned.lengthMs - zoomed.lengthMs)).toBeLessThanOrEqual(1);
  expect(Math.abs(timeOfDay(panned.from) - timeOfDay(zoomed.from) - zoomed.lengthMs / 2)).toBeLessThan(20);
  // What came since the pause is there.
  const before = given.size;
  await expect.poll(() => given.size).toBeGreaterThan(before + 10);
  await plot.area.focus();
  for (let press = 0; press < 6; press += 1) await page.keyboard.press('-');
  await page.keyboard.press('End');
  const latest = await readTime(plot);
  expect([...given.keys()].indexOf(latest)).toBeGreaterThan(before + 8);
  await expectReads(plot, given.get(latest));
  await plot.press('Live');
  await expect(plot.status).toHaveText('now');
});

test('the keys zoom and go back to the whole, and the page does not go back', async ({ page, watchRelay }) => {
  const given = noteReadings(watchRelay);
  const plot = await openSensor(new ControlPage(page), given, 30);
  const address = page.url();
  await plot.area.focus();
  await page.keyboard.press('p');
  const whole = await plot.heldWindow();
  expect(whole.lengthMs).toBe(10_000);
  await page.keyboard.press('+');
  expect((await plot.heldWindow()).lengthMs).toBe(5_000);
  await page.keyboard.press('Alt+ArrowLeft');
  await page.keyboard.press('-');
  await page.keyboard.press('-');
  expect((await plot.heldWindow()).lengthMs).toBe(10_000);
  await page.keyboard.press('+');
  await page.keyboard.press('0');
  expect(await plot.heldWindow()).toEqual(whole);
  expect(page.url()).toBe(address);
  await page.keyboard.press('p');
  await expect(plot.area).toHaveAccessibleName(/curves of the last 10 s/);
});

test('the table has every sample of the window as the sensor gave it', async ({ page, watchRelay }) => {
  const given = noteReadings(watchRelay);
  const plot = await openSensor(new ControlPage(page), given, 60);
  await plot.drag(0.5, 0.9);
  const { from, to } = await plot.heldWindow();
  const [heading, ...rows] = await plot.exportTable();
  expect(heading).toBe('time,seconds,celsius,"flow, ""main"""');
  const [begin, end] = [timeOfDay(from), timeOfDay(to)];
  const expected = [...given].filter(([time]) => time >= begin && time <= end).map(([, reading]) => reading);
  expect(expected.length).toBeGreaterThan(20);
  const first = expected[0]?.at ?? 0;
  expect(rows).toEqual(
    expected.map(({ at, celsius, flow }) => `${new Date(at).toISOString()},${(at - first) / 1_000},${celsius},${flow}`),
  );
});

test('the picture is a PNG as wide as the plot, with its lines, in the colours of the theme', async ({
  page,
  watchRelay,
}) => {
  const given = noteReadings(watchRelay);
  const plot = await openSensor(new ControlPage(page), given, 40);
  await plot.press('Pause');
  await plot.click(0.8);
  await plot.click(0.95);
  const shell = new Shell(page);
  const backgrounds: string[] = [];
  for (const theme of ['Light', 'Dark'] as const) {
    await shell.chooseTheme(theme);
    const file = await plot.export('Picture (PNG)');
    expect(file.suggestedFilename()).toMatch(/^Plot-of-climate-.*Z\.png$/);
    const kept = test.info().outputPath(`${theme}.png`);
    await file.saveAs(kept);
    const bytes = await readFile(kept);
    expect(bytes.subarray(1, 4).toString()).toBe('PNG');
    const box = await plot.area.boundingBox();
    expect(bytes.readUInt32BE(16)).toBe(Math.round(box?.width ?? 0));
    expect(bytes.readUInt32BE(20)).toBeGreaterThan(box?.height ?? 0);
    const colours = await coloursOf(plot, bytes);
    expect(colours.count).toBeGreaterThan(10);
    backgrounds.push(colours.corner);
  }
  expect(backgrounds).toEqual(['255,255,255', '26,29,34']);
});

/** How many colours a picture has, and the one in its corner. */
function coloursOf(plot: Plot, bytes: Buffer): Promise<{ count: number; corner: string }> {
  return plot.figure.page().evaluate(`(async () => {
    const bytes = Uint8Array.from(atob('${bytes.toString('base64')}'), (each) => each.charCodeAt(0));
    const picture = await createImageBitmap(new Blob([bytes], { type: 'image/png' }));
    const context = new OffscreenCanvas(picture.width, picture.height).getContext('2d');
    context.drawImage(picture, 0, 0);
    const { data } = context.getImageData(0, 0, picture.width, picture.height);
    const colours = new Set();
    for (let at = 0; at < data.length; at += 4) colours.add(data.slice(at, at + 3).join());
    return { count: colours.size, corner: data.slice(0, 3).join() };
  })()`);
}

test('in a plot that has the focus, Space and Esc stop the machine and nothing else', async ({ page }) => {
  const control = new ControlPage(page);
  const left = await control.openWith('left');
  const plot = control.plot('left');
  const shell = new Shell(page);
  for (const key of ['Space', 'Escape']) {
    await left.revolutions.fill('1000');
    await left.rpm.fill('60');
    await left.go.click();
    await expect(left.state).toHaveText('moving');
    await plot.click(0.9);
    await expect(plot.mark('a')).toBeVisible();
    await page.keyboard.press(key);
    await expect(shell.stopOutcome).toContainText('All stopped');
    await expect(left.state).toHaveText('still');
    await expect(plot.mark('a')).toBeVisible();
    await expect(plot.figure.getByRole('button', { name: 'Pause', exact: true })).toBeVisible();
    await plot.press('Clear cursors');
  }
});

test('nothing below a plot moves while a motor turns, is read, measured and paused', async ({ page }) => {
  const control = new ControlPage(page);
  const left = await control.openWith('left');
  const plot = control.plot('left');
  const wheel = control.plot('wheel');
  const places = async () => ({
    stop: await left.stop.boundingBox(),
    tools: await plot.window.boundingBox(),
    wheel: (await wheel.area.boundingBox())?.height,
  });
  await expect(plot.line('actual')).toContainText('rpm');
  const before = await places();
  await left.revolutions.fill('1000');
  await left.rpm.fill('90');
  await left.go.click();
  await expect.poll(() => left.value('position')).toBeGreaterThan(3);
  expect(await places()).toEqual(before);
  await plot.point(0.95);
  await expect(plot.mark('reading')).toBeVisible();
  expect(await places()).toEqual(before);
  await plot.click(0.93);
  await plot.click(0.98);
  await expect(plot.mark('b')).toBeVisible();
  await plot.press('Pause');
  expect(await places()).toEqual(before);
  await left.stop.click();
  await expect(left.state).toHaveText('still');
});

for (const [name, width] of [
  ['wide', 1440],
  ['narrow', 1024],
  ['phone', 390],
] as const) {
  test(`a plot that is measured is accessible in both themes: ${name}`, async ({ page, watchRelay }) => {
    const given = noteReadings(watchRelay);
    const control = new ControlPage(page);
    const plot = await openSensor(control, given, 60);
    await page.setViewportSize({ width, height: 900 });
    await plot.area.scrollIntoViewIfNeeded();
    await plot.press('Pause');
    await plot.click(0.6);
    await plot.click(0.9);
    await plot.point(0.75);
    await keepPicture(page, `plot-reading-${name}`);
    expect(await page.evaluate('document.documentElement.scrollWidth - innerWidth')).toBe(0);
    await checkLook(page, `plot-measured-${name}`);
  });
}
