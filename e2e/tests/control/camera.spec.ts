import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import sharp from 'sharp';
import { expect, test } from '../../fixtures/machine-test.ts';
import { CameraCard } from '../../page-objects/camera-card.ts';
import { ControlPage } from '../../page-objects/control.ts';
import { checkLook } from '../../page-objects/look.ts';
import { Shell } from '../../page-objects/shell.ts';

const folder = mkdtempSync(path.join(os.tmpdir(), 'camera-spec-'));
const at = (name: string): string => path.join(folder, name);
const plain = (width: number, height: number, background: string): Promise<Buffer> =>
  sharp({ create: { width, height, channels: 3, background } })
    .png()
    .toBuffer();

test.beforeAll(async () => {
  writeFileSync(at('color.png'), await plain(120, 90, 'teal'));
  writeFileSync(at('depth.png'), await plain(60, 40, 'gray'));
});
test.afterAll(() => rmSync(folder, { recursive: true }));

test.use({
  config: JSON.stringify({
    network: { bind_address: 'localhost:0' },
    components: [
      {
        name: 'belt',
        api: 'rdk:component:camera',
        model: 'fake',
        attributes: { width: 480, height: 320, shapes: 4, seed: 11, animated: true },
      },
      {
        name: 'bench',
        api: 'rdk:component:camera',
        model: 'image_file',
        attributes: { color_image_file_path: at('color.png'), depth_image_file_path: at('depth.png') },
      },
    ],
  }),
});

test('a camera shows what it sees, as it sees it, until somebody pauses it', async ({ page }) => {
  await new Shell(page).open('Control');
  const belt = new CameraCard(page, 'belt');
  await expect(belt.state).toHaveText('live');
  await expect(belt.card).toContainText(/size\s*480 × 320\s*px\s*format\s*JPEG\s*[\d.]+\skB/);
  await expect(belt.card).toContainText(/rate\s*\d+\.\d\s*\/s/);
  const first = await belt.address();
  await expect(belt.picture).not.toHaveAttribute('src', first);
  await belt.pace('Pause').press('Enter');
  await expect(belt.state).toHaveText('paused');
  const paused = await belt.address();
  await expect(belt.card).toContainText(/age\s*[1-9]\.\d\s*s/);
  expect(await belt.address()).toBe(paused);
  await belt.pace('15/s').press('Enter');
  await expect(belt.picture).not.toHaveAttribute('src', paused);
});

test('of several sources the one is shown that is chosen', async ({ page }) => {
  await new Shell(page).open('Control');
  const bench = new CameraCard(page, 'bench');
  await expect(bench.source).toHaveValue('color');
  await expect(bench.card).toContainText(/120 × 90\s*px\s*format\s*PNG/);
  await bench.source.selectOption('depth');
  await expect(bench.card).toContainText(/60 × 40\s*px\s*format\s*PNG/);
  await expect(new CameraCard(page, 'belt').source).toBeHidden();
});

test('a picture is saved as the camera sent it', async ({ page }) => {
  await new Shell(page).open('Control');
  const bench = new CameraCard(page, 'bench');
  await expect(bench.state).toHaveText('live');
  const download = await bench.save();
  expect(download.suggestedFilename()).toMatch(/^bench-color-\d{4}-\d\d-\d\d-\d{6}-\d{3}\.png$/);
  expect(readFileSync(await download.path())).toEqual(readFileSync(at('color.png')));
});

test('a picture that is no longer new says so, with the reason, until there is another one', async ({ page }) => {
  await new Shell(page).open('Control');
  const bench = new CameraCard(page, 'bench');
  await expect(bench.state).toHaveText('live');
  const content = readFileSync(at('color.png'));
  rmSync(at('color.png'));
  await expect(bench.state).toHaveText('old picture');
  await expect(bench.problem).toHaveText(
    /^No new picture since \d\d:\d\d:\d\d: .*color\.png cannot be read: there is no/,
  );
  await expect(bench.picture).toBeVisible();
  await checkLook(page, 'control-camera-old');
  writeFileSync(at('color.png'), content);
  await expect(bench.state).toHaveText('live');
  await expect(bench.problem).toBeEmpty();
});

test('cameras are accessible in both themes', async ({ page }) => {
  await new Shell(page).open('Control');
  await new ControlPage(page).show('Sensors');
  await expect(new CameraCard(page, 'belt').card).toContainText(/rate\s*\d/);
  await expect(new CameraCard(page, 'bench').state).toHaveText('live');
  await checkLook(page, 'control-camera');
});
