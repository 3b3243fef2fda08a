import { expect, test } from '../../fixtures/train-test.ts';
import { cardOf } from '../../harness/scripted-training.ts';

const labels = ['bolt', 'nut'];

test('jobs wait in a queue, fail with their reason on the row, are canceled, retried and deleted', async ({
  page,
  screws,
  training,
  train,
}) => {
  test.slow();
  await train.open();
  await expect(train.side.getByText('Nothing was trained yet.')).toBeVisible();
  await training.submit(screws, 'screws', '1', labels);
  await training.submit(screws, 'screws', '2', labels);
  await training.submit(screws, 'caps', '1', labels);
  await training.epochs(1, 5);
  await expect(train.row('screws 1')).toContainText('epoch 1 of 5');
  await expect(train.row('screws 2')).toContainText('queued, next');
  await expect(train.row('caps 1')).toContainText('queued, 1 ahead of it');

  await training.fail('The picture 3.png cannot be read: take it out.');
  await expect(train.row('screws 1')).toContainText('failed');
  await expect(train.row('screws 1')).toContainText('The picture 3.png cannot be read: take it out.');
  await expect(train.row('screws 2')).toContainText('starting');
  await train.choose('screws 2');
  await expect(train.action('screws 2', 'Delete')).toHaveCount(0);
  await train.action('screws 2', 'Cancel').click();
  await expect(train.row('screws 2')).toContainText('canceled');
  await expect(train.action('screws 2', 'Cancel')).toHaveCount(0);

  await train.choose('screws 1');
  await train.action('screws 1', 'Retry').click();
  await expect(train.pane('screws 1').getByText(/queued|starting/)).toBeVisible();
  await expect(train.row('screws 1')).toHaveCount(2);

  await train.choose('screws 2');
  await train.action('screws 2', 'Delete').click();
  await train.dialog.getByRole('button', { name: 'Delete the job' }).click();
  await expect(train.row('screws 2')).toHaveCount(0);

  await train.status.selectOption('Failed');
  await expect(train.rows).toHaveCount(1);
  await expect(page).toHaveURL(/status=failed/);
  await train.status.selectOption('Any status');
  await train.search.fill('caps');
  await expect(train.rows).toHaveCount(1);
  await page.reload();
  await expect(train.search).toHaveValue('caps');
  await expect(train.rows).toHaveCount(1);
  await train.search.fill('nothing like it');
  await train.side.getByRole('button', { name: 'Show all' }).click();
  await expect(train.rows).toHaveCount(3);
});

test('the log begins with its first line, stops following who scrolls up, and holds lines back in a pause', async ({
  page,
  screws,
  training,
  train,
}) => {
  test.slow();
  await training.submit(screws, 'screws', '1', labels);
  for (let number = 1; number <= 130; number++) await training.log(`line ${number} of the script`);
  await train.open();
  const log = train.log('screws 1');
  await expect(log.getByText('line 130 of the script')).toBeVisible();
  await log.focus();
  await page.keyboard.press('Home');
  await expect(log.getByText('line 1 of the script', { exact: true })).toBeVisible();
  await training.log('one more line');
  await page.getByRole('button', { name: '1 new, jump to the end' }).click();
  await expect(log.getByText('one more line')).toBeVisible();
  const pane = train.pane('screws 1');
  await pane.getByRole('button', { name: 'Pause' }).click();
  await training.log('held back');
  await expect(pane.getByText('paused, 1 new line')).toBeVisible();
  await expect(log.getByText('held back')).toHaveCount(0);
  await pane.getByRole('button', { name: 'Resume' }).click();
  await expect(log.getByText('held back')).toBeVisible();
});

test('runs are compared by keyboard: their curves in the same plots, their figures in a table', async ({
  page,
  screws,
  training,
  train,
}) => {
  test.slow();
  for (const [version, best] of [
    ['1', 0.7],
    ['2', 0.95],
  ] as const) {
    await training.submit(screws, 'screws', version, labels);
    await training.epochs(6, 6, best);
    await training.finish(cardOf(best));
  }
  await train.open();
  await expect(train.row('screws 1')).toContainText('completed');
  await expect(train.row('screws 2')).toContainText('completed');
  await train.list.focus();
  await page.keyboard.press('Home');
  await page.keyboard.press('c');
  await expect(train.side.getByText('Select another job')).toBeVisible();
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('c');
  const compared = page.getByRole('article', { name: 'Compare 2 runs' });
  await expect(compared).toBeVisible();
  await expect(page).toHaveURL(/compare=/);
  await expect(train.plot('accuracy').getByRole('listitem')).toHaveText([/screws 2/, /screws 1/]);
  const row = compared.getByRole('row').filter({ has: page.getByRole('rowheader', { name: 'accuracy' }) });
  await expect(row.getByRole('cell')).toHaveText([/0\.950\s*best/, /^\s*0\.700\s*$/]);
  await page.keyboard.press('Enter');
  await expect(train.pane('screws 1')).toBeVisible();
  await expect(page).not.toHaveURL(/compare=/);
});
