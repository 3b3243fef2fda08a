import { expect, test } from '../../fixtures/dataset-test.ts';

test('boxes are made fainter, all but the one that is selected, so that they do not hide the picture', async ({
  page,
  labels,
}) => {
  await labels.addClass('screw');
  await labels.drag([0.1, 0.1], [0.4, 0.4]);
  await labels.drag([0.5, 0.5], [0.9, 0.9]);
  await expect(labels.drawn).toHaveCount(2);
  // The one that is selected is drawn last.
  const boxes = labels.picture.locator('.box');
  await expect(boxes.first()).toHaveAttribute('opacity', '1');
  const slider = labels.screen.getByRole('slider', { name: 'Opacity of boxes' });
  await slider.focus();
  await page.keyboard.press('Home');
  await expect(boxes.first()).toHaveAttribute('opacity', '0.1');
  await expect(boxes.last()).toHaveAttribute('opacity', '1');
});
