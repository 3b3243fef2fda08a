import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import type { Page } from '@playwright/test';
import { shapeDetector } from '../../../src-main/inference/findings/testing/shape-detector.ts';
import { expect, test } from '../../fixtures/machine-test.ts';
import { checkLook } from '../../page-objects/look.ts';
import { Shell } from '../../page-objects/shell.ts';
import { VisionCard } from '../../page-objects/vision-card.ts';

const folder = mkdtempSync(path.join(os.tmpdir(), 'vision-spec-'));
const at = (name: string): string => path.join(folder, name);

test.beforeAll(() => {
  writeFileSync(at('shapes.onnx'), shapeDetector(320, 240, 3));
  writeFileSync(at('labels.txt'), 'shape\n');
});
test.afterAll(() => rmSync(folder, { recursive: true }));

test.use({
  config: JSON.stringify({
    network: { bind_address: 'localhost:0' },
    components: [
      { name: 'belt', api: 'rdk:component:camera', model: 'fake', attributes: { seed: 11 } },
      { name: 'still', api: 'rdk:component:camera', model: 'fake', attributes: { seed: 4, animated: false } },
    ],
    services: [
      {
        name: 'net',
        api: 'rdk:service:mlmodel',
        model: 'onnx_cpu',
        attributes: { model_path: at('shapes.onnx'), label_path: at('labels.txt') },
      },
      {
        name: 'eyes',
        api: 'rdk:service:vision',
        model: 'mlmodel',
        attributes: {
          mlmodel_name: 'net',
          camera_name: 'still',
          input_image_mean_value: [0, 0, 0],
          input_image_std_dev: [1, 1, 1],
        },
      },
    ],
  }),
});

/** What is not on the screen asks for nothing. */
async function openEyes(page: Page): Promise<VisionCard> {
  await new Shell(page).open('Control');
  const eyes = new VisionCard(page, 'eyes');
  await eyes.pace('Pause').scrollIntoViewIfNeeded();
  return eyes;
}

test('a vision service shows what it finds, where it is, and how long that takes @smoke', async ({ page }) => {
  const eyes = await openEyes(page);
  await expect(eyes.state).toHaveText('live');
  await expect(eyes.camera).toHaveValue('still');
  await expect(eyes.found).toHaveText(Array(3).fill(/shape\s*88 %/) as RegExp[]);
  await expect(eyes.boxes).toHaveCount(3);
  await expect(eyes.card).toContainText(/3 of 3 boxes/);
  await expect(eyes.card).toContainText(/model\s*[\d.]+\s*ms/);
  // The boxes lie in the picture.
  const [picture, box] = [await eyes.picture.boundingBox(), await eyes.boxes.first().boundingBox()];
  expect(box!.x).toBeGreaterThanOrEqual(picture!.x - 1);
  expect(box!.y + box!.height).toBeLessThanOrEqual(picture!.y + picture!.height + 1);
});

test('by the keyboard: what is not sure enough goes, boxes are hidden, another camera is watched', async ({ page }) => {
  const eyes = await openEyes(page);
  await expect(eyes.boxes).toHaveCount(3);
  await eyes.confidence.focus();
  await page.keyboard.press('End');
  await expect(eyes.boxes).toHaveCount(0);
  await expect(eyes.card).toContainText('Nothing in this picture reaches the minimum confidence.');
  await page.keyboard.press('Home');
  await expect(eyes.boxes).toHaveCount(3);
  await page.keyboard.press('Tab');
  await expect(eyes.showsBoxes).toBeFocused();
  await page.keyboard.press('Space');
  await expect(eyes.boxes).toHaveCount(0);
  await expect(eyes.found).toHaveCount(3);
  await page.keyboard.press('Space');
  await eyes.camera.selectOption('belt');
  const where = async (): Promise<string> => (await eyes.boxes.first().getAttribute('style')) ?? '';
  const first = await where();
  await expect.poll(where).not.toBe(first);
  await eyes.pace('Pause').press('Enter');
  await expect(eyes.state).toHaveText('paused');
});

test('the card of a vision service looks right', async ({ page }) => {
  const eyes = await openEyes(page);
  await expect(eyes.boxes).toHaveCount(3);
  await eyes.pace('Pause').press('Enter');
  await checkLook(page, 'control-vision');
});
