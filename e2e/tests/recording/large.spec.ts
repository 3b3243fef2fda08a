import { expect, test } from '../../fixtures/machine-test.ts';
import { windowBench } from '../../fixtures/window-bench.ts';
import { LARGE_CHANNELS, LARGE_PEAK, LARGE_SAMPLES, writeLargeRecording } from '../../harness/large-recording.ts';
import { HANG_MS, LongTasks } from '../../page-objects/long-tasks.ts';
import { Palette } from '../../page-objects/palette.ts';
import { RecordingScreen } from '../../page-objects/recording.ts';

test.use({ config: windowBench });

const hourMs = 3_600_000;
const peakAt = LARGE_PEAK.index / LARGE_SAMPLES;

test('an hour of 40 channels opens, is zoomed, moved, played and exported without the window hanging', async ({
  page,
}, info) => {
  const file = info.outputPath('hour.recording.ndjson');
  await writeLargeRecording(file);
  await new Palette(page).run('Open a recording');
  const recording = new RecordingScreen(page);
  const plot = recording.plotOf(LARGE_PEAK.channel);
  const tasks = await LongTasks.of(page);
  const longest = new Map<string, number>();
  const phase = async (name: string, work: () => Promise<void>): Promise<void> => {
    await work();
    longest.set(name, await tasks.longest());
  };
  /** Waits until a line is high in the plot at one place only: where its one high value is. */
  const expectPeak = async (tolerance: number): Promise<void> => {
    const furthest = async (): Promise<number> => {
      const peaks = await plot.peaks();
      return peaks.length === 0 ? Number.NaN : Math.max(...peaks.map((each) => Math.abs(each - peakAt)));
    };
    await expect.poll(furthest).toBeLessThan(tolerance);
  };

  await phase('opening', async () => {
    await recording.openFile(file);
    await expect(recording.plots).toHaveCount(6, { timeout: 60_000 });
    await expectPeak(0.005);
  });
  await expect(page.getByRole('region', { name: 'Values' }).getByRole('listitem')).toHaveCount(LARGE_CHANNELS);

  await phase('zooming', async () => {
    await plot.zoom(peakAt, 15);
    await expect.poll(async () => (await plot.heldWindow()).lengthMs).toBeLessThan(hourMs / 10);
    await expectPeak(0.04);
    await plot.zoom(peakAt, -20);
    await expect.poll(async () => (await plot.heldWindow()).lengthMs).toBeGreaterThan(hourMs - 1_000);
    await expectPeak(0.005);
  });

  await plot.zoom(peakAt, 3);
  const before = await plot.heldWindow();
  await phase('moving', async () => {
    await page.keyboard.down('Shift');
    await plot.drag(0.5, 0.4);
    await page.keyboard.up('Shift');
    await expect.poll(async () => (await plot.heldWindow()).from).not.toBe(before.from);
  });
  expect((await plot.heldWindow()).lengthMs).toBeCloseTo(before.lengthMs, -1);

  await phase('playing', async () => {
    await recording.bar.getByRole('button', { name: '16×' }).click();
    await recording.bar.getByRole('button', { name: 'Play' }).click();
    await expect.poll(async () => Number(await recording.time.inputValue())).toBeGreaterThan(16_000);
    await recording.bar.getByRole('button', { name: 'Pause' }).click();
  });

  await phase('exporting', async () => {
    const table = await recording.exportTable('Whole recording');
    expect(table).toHaveLength(LARGE_SAMPLES + 1);
    expect(table[LARGE_PEAK.index + 1]).toMatch(/^[^,]+,2001\.1,50,/);
  });

  const words = [...longest].map(([name, ms]) => `${name} ${ms} ms`).join(', ');
  info.annotations.push({ type: 'longest task', description: words });
  process.stdout.write(`longest task of 50 ms or more: ${words}\n`);
  expect(Math.max(...longest.values())).toBeLessThan(HANG_MS);
});
