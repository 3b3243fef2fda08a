import { expect, test } from '../../fixtures/train-test.ts';
import { cardOf } from '../../harness/scripted-training.ts';

test('a dataset is trained with one press, watched while it learns, and its model is judged', async ({
  page,
  screws,
  training,
  datasets,
  train,
}) => {
  test.slow();
  expect(screws).not.toBe('');
  await datasets.open();
  await datasets.choose('Screws');
  await datasets.pane().getByRole('button', { name: 'Train', exact: true }).click();
  await expect(train.field('Model')).toHaveValue('screws');
  await expect(train.dialog.getByText('24 of 24 pictures have labels for this')).toBeVisible();
  await expect(train.dialog.getByRole('checkbox', { name: 'bolt 12 pictures' })).toBeChecked();
  await expect(train.submit).toHaveText('Train screws 1');
  await train.submit.click();

  const job = train.pane('screws 1');
  await expect(job).toBeVisible();
  await expect(page).toHaveURL(/#\/train\/[^/?]+$/);
  await training.log('PyTorch 2.6.0 with 1 threads, seed 7.');
  await training.epochs(3, 8);
  await expect(job.getByText('epoch 3 of 8')).toBeVisible();
  await expect(job.getByText(/^last update /)).toBeVisible();
  await expect(train.plot('Loss').getByRole('img')).toHaveAccessibleName(/^Loss by epoch\. In epoch 3: training 0\./);
  await expect(train.plot('Quality').getByRole('img')).toHaveAccessibleName(/In epoch 3: accuracy 0\.\d+, F1 0\./);
  await expect(train.log('screws 1')).toContainText('PyTorch 2.6.0 with 1 threads, seed 7.');

  await training.warn('the light changes');
  await training.finish(cardOf(0.95));
  await expect(job.getByText('completed', { exact: true })).toBeVisible();
  await expect(train.log('screws 1')).toContainText('error the light changes');
  const model = job.getByRole('region', { name: 'Model', exact: true });
  await expect(model).toContainText('accuracy0.950');
  await expect(model).toContainText('Seed7');
  await expect(model).toContainText('16 for training, 4 for validation');
  await expect(model.getByRole('region', { name: 'Confusion matrix' }).getByRole('row')).toHaveText([
    /bolt\s*nut/,
    /bolt\s*9\s*1/,
    /nut\s*0\s*10/,
  ]);
  const worst = model.getByRole('list', { name: 'Worst pictures' }).getByRole('listitem');
  await expect(worst).toHaveCount(4);
  await expect(worst.first().locator('img')).toBeVisible();
  await expect(worst.first()).toContainText('loss 2.5');
  await worst.first().getByRole('link', { name: 'Labelled bolt' }).click();
  await expect(page).toHaveURL(/#\/data\/datasets\/.+\/label\?picture=/);
});

test('a version that is taken, and what is missing, is said before anything is submitted', async ({
  page,
  screws,
  training,
  train,
}) => {
  test.slow();
  await training.submit(screws, 'screws', '1', ['bolt', 'nut']);
  await train.open();
  await page.getByRole('button', { name: 'New job' }).click();
  await train.field('Dataset').fill('Screws');
  await page.keyboard.press('Enter');
  await expect(train.field('Version')).toHaveValue('2');
  await expect(train.submit).toHaveText('Train screws 2');
  await train.field('Version').fill('1');
  await expect(train.dialog.getByText(/has version "1" of the model "screws"/)).toBeVisible();
  await expect(train.submit).toHaveAttribute('aria-disabled', 'true');
  await train.dialog.getByRole('button', { name: 'Use version 2' }).click();
  await expect(train.submit).not.toHaveAttribute('aria-disabled', 'true');

  await train.dialog.getByRole('checkbox', { name: /^nut/ }).uncheck();
  await expect(train.dialog.getByRole('list', { name: 'What is missing' })).toBeVisible();
  await expect(train.submit).toHaveAttribute('aria-disabled', 'true');
  // It takes a press, and does nothing.
  await train.submit.click({ force: true });
  await expect(train.dialog).toBeVisible();
  await train.field('Model').fill('no name');
  await expect(train.dialog.getByText(/The name "no name" is not allowed/)).toBeVisible();
  await page.keyboard.press('Escape');
  await expect(train.rows).toHaveCount(1);
});

test('where nothing can be trained the screen and the dialog say why, and what to do', async ({
  page,
  screws,
  training,
  train,
}) => {
  expect(screws).not.toBe('');
  await training.setMissing(['torch']);
  await train.open();
  await expect(train.side.getByText(/^No job can run now\. .* lacks what training needs: torch\./)).toBeVisible();
  await train.side.getByRole('link', { name: 'Training settings' }).click();
  await expect(page.getByRole('textbox', { name: 'Python' })).toHaveValue(training.python);
  await training.setMissing([]);
  await train.open();
  await expect(train.side.getByText('Jobs run on this hub’s computer.')).toBeVisible();
});
