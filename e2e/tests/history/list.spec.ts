import { expect, test } from '../../fixtures/history-test.ts';
import { windowBench } from '../../fixtures/window-bench.ts';
import { ConfigurePage } from '../../page-objects/configure.ts';

const texts = Array.from({ length: 4 }, (_, index) =>
  windowBench.replace('"max_rpm": 120 }\n    }', `"max_rpm": 12${index} }\n    }`),
);
const failing = windowBench.replace('"fail_new": false', '"fail_new": true');

test(
  'the history is there at once: when, what, by whom and how, and new versions by themselves',
  { tag: '@smoke' },
  async ({ page, pair, history }) => {
    const readings = (celsius: number): string => windowBench.replace('"celsius": 21.5', `"celsius": ${celsius}`);
    await pair.applyAll([windowBench, readings(30)]);
    await pair.apply(failing, { note: 'try the other board' });
    await pair.settled();
    await history.open();
    await expect(page.getByText('3 versions')).toBeVisible();
    expect(await history.shownNumbers()).toEqual([3, 2, 1]);
    await expect(history.row(3)).toContainText('4 failed');
    await expect(history.row(3).getByText('in use', { exact: true })).toBeVisible();
    await expect(history.row(3)).toContainText('try the other board');
    await expect(history.row(2)).toContainText(/climate: readings.celsius 21.5 to 30.*ready/);
    await expect(history.row(1)).toContainText('5 added');
    await expect(history.row(2).getByText('in use', { exact: true })).toHaveCount(0);
    await pair.apply(readings(31));
    await expect(history.row(4)).toContainText('ready');
    await expect(history.row(4).getByText('in use', { exact: true })).toBeVisible();
    expect(await history.shownNumbers()).toEqual([4, 3, 2, 1]);
  },
);

test('when did a resource last change is asked in the search, or from the resource itself', async ({
  page,
  pair,
  history,
}) => {
  const slow = windowBench.replace('"max_rpm": 120 }\n    }', '"max_rpm": 110 }\n    }');
  await pair.applyAll([windowBench, slow, slow.replace('"celsius": 21.5', '"celsius": 30')]);
  await history.open();
  await history.search.fill('resource:climate');
  await expect(page.getByText('2 versions found')).toBeVisible();
  expect(await history.shownNumbers()).toEqual([3, 1]);
  await history.search.fill('resource:left celsius');
  await expect(page.getByText('No versions match.')).toBeVisible();
  await page.getByRole('button', { name: 'Show all versions' }).click();
  await expect(history.rows).toHaveCount(3);
  await page.goto(`${page.url().split('#')[0]}#/configure/resource/right`);
  const configure = new ConfigurePage(page);
  await configure.beside.getByRole('link', { name: 'History of right' }).click();
  await expect(history.search).toHaveValue('resource:right');
  await expect(page.getByText('2 versions found')).toBeVisible();
  expect(await history.shownNumbers()).toEqual([2, 1]);
});

test('a version that comes does not move the line that is being pointed at', async ({ page, pair, history }) => {
  await pair.applyAll(texts);
  await history.open();
  await history.row(2).hover();
  const before = await history.row(2).boundingBox();
  await pair.apply(failing);
  await expect(history.newButton).toHaveText('Show 1 new version');
  expect((await history.row(2).boundingBox())?.y).toBe(before?.y);
  await history.newButton.click();
  await expect(history.row(5)).toBeInViewport();
  await expect(page.getByText('5 versions')).toBeVisible();
});
