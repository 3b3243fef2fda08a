import { windowBench } from '../../fixtures/window-bench.ts';
import { expect, test } from '../../fixtures/history-test.ts';
import { checkLook, keepPicture } from '../../page-objects/look.ts';

const right = '"attributes": { "board": "bench", "pins": { "dir": "16", "pwm": "15" }, "max_rpm": 120 }';
const slower = windowBench.replace(right, right.replace('120', '90'));
const rewired = slower.replace(
  '"dir": "16", "pwm": "15" }, "max_rpm": 90',
  '"dir": "18", "pwm": "15" }, "max_rpm": 90',
);
const guarded = rewired.replace('"components": [', '"debug": true,\n  "components": [');
const broken = guarded.replace('"fail_new": false', '"fail_new": true');

test('the screen is accessible in both themes: list, comparison, restore, tag and note, text', async ({
  page,
  pair,
  history,
}) => {
  test.slow();
  await pair.applyAll([windowBench, slower, rewired, guarded, broken, guarded]);
  await pair.annotate(3, 'before the demo', 'Both wheels turn forwards here.');
  await pair.annotate(1, 'first real board');
  await history.open();
  await history.choose(3);
  await expect(history.restoreCard).toContainText('No module restarts.');
  await checkLook(page, 'history');
  await history.choose(1);
  await expect(history.restoreCard).toContainText('stops if it is moving');
  await history.tagButton.click();
  await expect(history.words).toBeVisible();
  await checkLook(page, 'history-tag');
  await history.choose(2);
  await history.showView('Text');
  await history.showColumns('Side by side');
  await expect(history.textDiff).toContainText('"dir": "18"');
  await checkLook(page, 'history-text');
  await history.search.fill('no such words');
  await expect(page.getByText('No versions match.')).toBeVisible();
  await checkLook(page, 'history-empty');
});

test('at the width of a phone each line can be read, and the page scrolls to the rest', async ({
  page,
  pair,
  history,
}) => {
  test.slow();
  const speeds = [80, 70, 60, 50].map((rpm) => windowBench.replace(right, right.replace('120', String(rpm))));
  await pair.applyAll([windowBench, slower, rewired, guarded, ...speeds]);
  await pair.annotate(3, 'before the demo', 'Both wheels turn forwards here.');
  await page.setViewportSize({ width: 390, height: 844 });
  await history.open();
  await history.choose(2);
  await expect(history.restoreCard).toContainText('No module restarts.');
  // One line of letters: not a word broken over many.
  const what = history.row(2).getByText('right: max_rpm 120 to 90');
  expect((await what.boundingBox())?.height).toBeLessThan(25);
  for (const seen of [history.difference('right'), history.restoreButton]) {
    // In the middle: at the edge, a fraction of a pixel may be left out.
    await seen.evaluate((element: unknown) =>
      (element as { scrollIntoView(options: { block: string }): void }).scrollIntoView({ block: 'center' }),
    );
    await expect(seen).toBeInViewport({ ratio: 1 });
  }
  await history.showView('Text');
  await expect(history.textDiff).toContainText('"max_rpm": 90');
  await keepPicture(page, 'history-phone-text');
  await history.showView('By resource');
  await history.list.scrollIntoViewIfNeeded();
  await keepPicture(page, 'history-phone-list');
  await history.restoreButton.scrollIntoViewIfNeeded();
  await keepPicture(page, 'history-phone-restore');
});
