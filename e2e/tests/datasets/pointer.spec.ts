import { expect, test } from '../../fixtures/dataset-test.ts';

test('boxes are drawn by mouse, also inside another, taken by a click, moved and pulled with the other tool', async ({
  page,
  captured,
  ids,
  labels,
}) => {
  await labels.at(1);
  await labels.addClass('screw');
  await labels.addClass('nut');
  await labels.class('screw').click();
  await labels.drag([0.1, 0.1], [0.9, 0.9]);
  await expect(labels.boxes).toHaveText([/1\. screw/]);
  await labels.class('nut').click();
  await expect(labels.boxes).toHaveText([/1\. nut/]);
  await page.keyboard.press('ControlOrMeta+z');
  await expect(labels.boxes).toHaveText([/1\. screw/]);
  await page.keyboard.press('Escape');
  await labels.class('nut').click();
  await labels.drag([0.4, 0.4], [0.6, 0.6]);
  await expect(labels.boxes).toHaveText([/1\. screw/, /2\. nut/]);

  // A drag that is under way is what Esc and Undo take back first, and nothing else.
  await page.mouse.down();
  await page.mouse.move(10, 10);
  await page.keyboard.press('ControlOrMeta+z');
  await page.mouse.up();
  await expect(labels.boxes).toHaveCount(2);

  await labels.drag([0.2, 0.2], [0.2, 0.2]);
  await expect(labels.boxes.nth(0).getByRole('button', { pressed: true })).toBeVisible();
  await labels.drag([0.5, 0.5], [0.5, 0.5]);
  await expect(labels.boxes.nth(1).getByRole('button', { pressed: true })).toBeVisible();

  await labels.screen.getByRole('button', { name: 'Move', exact: true }).click();
  await labels.drag([0.5, 0.5], [0.6, 0.5]);
  await labels.drag([0.7, 0.6], [0.8, 0.7]);
  await expect(labels.saving).toHaveText('Saved');
  const nut = (await captured.metadata(ids[0] ?? ''))?.annotations?.bboxes.find(({ label }) => label === 'nut');
  expect(nut?.xMinNormalized).toBeCloseTo(0.5, 1);
  expect(nut?.xMaxNormalized).toBeCloseTo(0.8, 1);
  expect(nut?.yMaxNormalized).toBeCloseTo(0.7, 1);

  await labels.screen.getByRole('button', { name: 'Remove box 1, screw' }).click();
  await expect(labels.drawn).toHaveCount(1);
  await labels.screen.getByRole('button', { name: /^Hide boxes/ }).click();
  await expect(labels.drawn).toHaveCount(0);
});
