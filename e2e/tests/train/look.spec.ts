import { expect, test } from '../../fixtures/train-test.ts';
import { cardOf } from '../../harness/scripted-training.ts';
import { checkLook } from '../../page-objects/look.ts';

const labels = ['bolt', 'nut'];

test('the list, a job that runs and one that failed are accessible in both themes, and fit a phone', async ({
  page,
  screws,
  training,
  train,
}) => {
  test.setTimeout(480_000);
  await train.open();
  await expect(train.side.getByText('Nothing was trained yet.')).toBeVisible();
  await checkLook(page, 'train-empty');
  await training.submit(screws, 'screws', '3', labels);
  await training.fail('The picture 7.png cannot be read: take it out of the dataset.');
  await training.submit(screws, 'screws', '4', labels);
  await training.submit(screws, 'screws', '5', labels);
  await training.submit(screws, 'screws', '6', labels);
  await training.log('PyTorch 2.6.0 with 1 threads, seed 7.');
  await training.epochs(9, 30);
  for (let number = 1; number <= 9; number++) await training.log(`epoch ${number} of 30`);
  await expect(train.row('screws 4')).toContainText('epoch 9 of 30');
  await train.choose('screws 4');
  await expect(train.log('screws 4')).toContainText('epoch 9 of 30');
  await checkLook(page, 'train');
  await train.choose('screws 3');
  await checkLook(page, 'train-failed');
  await train.action('screws 3', 'Delete').click();
  await checkLook(page, 'train-delete');
});

test('model and comparison are accessible in both themes, and fit a phone; the dialog too', async ({
  page,
  screws,
  training,
  train,
}) => {
  test.setTimeout(480_000);
  for (const [version, best] of [
    ['1', 0.7],
    ['2', 0.96],
  ] as const) {
    await training.submit(screws, 'screws', version, labels);
    await training.epochs(12, 12, best);
    await training.finish(cardOf(best));
  }
  await train.open();
  await expect(train.row('screws 2')).toContainText('completed');
  await train.choose('screws 2');
  const worst = train.pane('screws 2').getByRole('list', { name: 'Worst pictures' });
  await worst.scrollIntoViewIfNeeded();
  await expect(worst.locator('img')).toHaveCount(4);
  await checkLook(page, 'train-model');
  await train.tick('screws 2');
  await train.tick('screws 1');
  await expect(page.getByRole('article', { name: 'Compare 2 runs' })).toBeVisible();
  await checkLook(page, 'train-compare');
  await page.getByRole('button', { name: 'New job' }).click();
  await train.field('Dataset').fill('Screws');
  await page.keyboard.press('Enter');
  await train.field('Version').fill('1');
  await expect(train.dialog.getByText(/has a version "1"/)).toBeVisible();
  await checkLook(page, 'train-submit');
});
