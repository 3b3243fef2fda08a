import { expect, test } from '@playwright/test';
import { hubFolder, startHub } from '../../harness/hub-process.ts';
import { storeJobs } from '../../harness/many-jobs.ts';
import { TrainPage } from '../../page-objects/train-page.ts';

const many = 1_000;

test.use({ ignoreHTTPSErrors: true });

test('1,000 jobs are listed, filtered and gone through by keyboard', async ({ page }) => {
  test.slow();
  const { data, remove } = await hubFolder();
  const first = await startHub({ data, args: ['--no-tls'] });
  const { ownerKey } = first;
  await first.stop();
  await storeJobs(data, first.organizationId ?? '', many);
  const hub = await startHub({ data, args: ['--no-tls'] });
  try {
    await page.goto(hub.url);
    await page.getByRole('textbox', { name: 'Key id' }).fill(ownerKey?.id ?? '');
    await page.getByLabel('Key', { exact: true }).fill(ownerKey?.secret ?? '');
    await page.keyboard.press('Enter');
    const train = new TrainPage(page);
    await train.open();
    await expect(train.side.getByText('1000 jobs')).toBeVisible();
    await expect(train.row('screws 1000')).toContainText('The picture 1000.png cannot be read.');
    // Only what is seen is in the page.
    expect(await train.rows.count()).toBeLessThan(60);
    await train.search.fill('screws 427');
    await expect(train.side.getByText('1 found')).toBeVisible();
    await expect(train.row('screws 427')).toContainText('0.81');
    await train.search.fill('');
    await train.status.selectOption('Failed');
    await expect(train.side.getByText('100 found')).toBeVisible();
    await train.status.selectOption('Any status');
    await train.list.focus();
    await page.keyboard.press('End');
    await expect(train.row('screws 1')).toBeInViewport();
    await page.keyboard.press('ArrowUp');
    await page.keyboard.press('Enter');
    await expect(train.pane('screws 2')).toBeVisible();
    await expect(page).toHaveURL(/#\/train\/job-2$/);
    await expect(train.row('screws 2')).toHaveAttribute('aria-selected', 'true');
  } finally {
    await hub.stop();
    await remove();
  }
});
