import { test as base } from '@playwright/test';
import { expect } from '../../fixtures/history-test.ts';
import { JoinedPair } from '../../harness/joined-pair.ts';
import { storeVersions, versionText } from '../../harness/many-versions.ts';
import { HistoryPage } from '../../page-objects/history.ts';

const many = 10_000;

base('a history of 10,000 versions opens, is searched and read to its first one', async ({ page }) => {
  base.slow();
  const pair = await JoinedPair.start((data, partId) => storeVersions(data, partId, many));
  try {
    const history = new HistoryPage(page, pair.machine.pageUrl);
    await history.open();
    await expect(page.getByText('10000 versions')).toBeVisible({ timeout: 30_000 });
    await expect(history.row(many)).toContainText('in use');
    // Only what is seen is in the page.
    expect(await history.rows.count()).toBeLessThan(60);
    await history.search.fill('resource:left max_rpm 5002');
    await expect(page.getByText('1 version found')).toBeVisible();
    await history.search.fill('release 42');
    await expect(history.row(4_200)).toContainText('release 42');
    await history.onlyTagged.click();
    await history.search.fill('');
    await expect(page.getByText('100 versions found')).toBeVisible();
    await history.onlyTagged.click();
    await expect(page.getByText('10000 versions')).toBeVisible();
    await history.list.focus();
    await page.keyboard.press('End');
    await expect(history.row(1)).toBeInViewport();
    await page.keyboard.press('Enter');
    await expect(history.difference('left')).toContainText('max_rpm');
    await expect(history.restoreCard).toContainText('Restoring 1 creates version 10001');
    await history.restoreButton.click();
    await expect(history.restoreCard).toContainText('Restored: version 10001 has the text of 1');
    expect(await pair.text(many + 1)).toBe(versionText(1));
    await history.list.focus();
    await page.keyboard.press('Home');
    await expect(history.row(many + 1)).toBeInViewport();
  } finally {
    await pair.stop();
  }
});
